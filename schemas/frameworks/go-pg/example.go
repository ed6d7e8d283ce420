package models

import (
	"time"

	"github.com/go-pg/pg/v10"
)

// User is somebody who signs in.
type User struct {
	tableName struct{} `pg:"app.users,alias:u,discard_unknown_columns"`

	ID        int64
	FullName  string    `pg:",notnull,unique"`
	Email     *string   `pg:"mail,type:varchar(120)"` // where mail goes
	Roles     []string  `pg:",array"`
	CreatedAt time.Time `pg:"default:now()"`
	TeamID    int64     `pg:"on_delete:CASCADE"`
	Team      *Team     `pg:"rel:has-one"`
	Posts     []*Post   `pg:"rel:has-many"`
	Tags      []Tag     `pg:"many2many:user_tags"`
	Secret    string    `pg:"-"`
	DeletedAt time.Time `pg:",soft_delete"`
}

type Team struct {
	Code string `pg:",pk"`
	Name string
}

type Post struct {
	tableName struct{} `pg:"posts"`

	ID     int64
	UserID int64
	Title  string
}

type Tag struct {
	tableName struct{} `pg:"alias:t"`

	ID int
}

type filter struct {
	Name string
}

func find(db *pg.DB, mail string) (*User, error) {
	user := new(User)
	err := db.Model(user).Relation("Team").Where("mail = ?", mail).Order("created_at DESC").First()
	return user, err
}

func change(db *pg.DB, user *User, post *Post) error {
	_, err := db.Model(post).Insert()
	db.Model(user).Set("full_name = ?", "x").Where("id = ?", 3).Update()
	db.Model((*Post)(nil)).Where("user_id = ?", 1).Delete()
	return err
}
