package models

import "time"

// User is somebody who signs in.
type User struct {
	ID        int64     `xorm:"pk autoincr 'id'"`
	Login     string    `xorm:"varchar(50) unique(login_org) not null"`
	OrgID     int64     `xorm:"unique(login_org) index"`
	Email     string    `xorm:"VARCHAR(255) UNIQUE 'user_email'" json:"email"` // where mail goes
	Size      float64   `xorm:"decimal(10,2) default 1.5"`
	State     string    `xorm:"NOT NULL DEFAULT 'open' comment('open or closed')"`
	Tags      []string  `xorm:"json"`
	Created   time.Time `xorm:"created"`
	Plain     bool
	Password  string `xorm:"-"`
	hidden    string
	Badges    []*Badge `xorm:"text"`
}

type Badge struct {
	Name string `xorm:"pk"`
}

type Stamps struct {
	Updated int64 `xorm:"updated"`
}

type Team struct {
	Stamps `xorm:"extends"`
	ID     int64 `xorm:"pk autoincr"`
	Other  `xorm:"extends"`
}

func (*Team) TableName() string { return "teams" }

// UserTeam is a row of a query.
type UserTeam struct {
	User `xorm:"extends"`
	TeamID int64
}

type Computed struct {
	ID int64 `xorm:"pk"`
}

func (c Computed) TableName() string { return prefix() + "computed" }

type Star struct {
	ID  int64
	UID int64 `xorm:"index"`
}

// starCount is a row of a query.
type starCount struct {
	ID  int64 `xorm:"index"`
	Sum int
}

type Query struct {
	ID    int64
	Limit int `xorm:"-"`
}
