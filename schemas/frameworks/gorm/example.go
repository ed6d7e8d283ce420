package shop

import (
	"gorm.io/datatypes"
	"gorm.io/gorm"
)

// User is somebody who buys. They are never deleted.
type User struct {
	gorm.Model
	Name string `gorm:"column:full_name;size:50;not null;uniqueIndex:once,priority:1" json:"x"` // on the invoice
	// in years
	Age       *int `gorm:"default:18;check:age > 1"`
	CompanyID uint `gorm:"uniqueIndex:once;comment:pays"`
	Company   Company
	State     string `gorm:"type:enum('open','shut');default:open"`
	Kind      Kind
	Cards     []Card
	Languages []*Language `gorm:"many2many:user_languages;"`
	Friends   []*User     `gorm:"many2many:user_friends"`
	Home      Address     `gorm:"embedded;embeddedPrefix:home_"`
	Data      datatypes.JSON
	BossID    *uint
	Boss      *User `gorm:"foreignKey:BossID"`
	Shown     string `gorm:"-"`
	private   int
}

type Kind string

const (
	Person Kind = "person"
	Shop   Kind = "shop"
)

type Address struct {
	Street string
	Zip    string `gorm:"size:5"`
}

type Company struct {
	ID   uint
	Name string `gorm:"unique"`
}

const cards = "billing.people_cards"

type Card struct {
	Number string `gorm:"primaryKey"`
	UserID uint
}

func (Card) TableName() string { return cards }

type Total struct {
	Sum int `gorm:"column:total"`
}

type Member struct {
	GroupID uint  `gorm:"primaryKey"`
	UserID  uint  `gorm:"primaryKey;autoIncrement:false"`
	Groups  Extra `gorm:"serializer:json"`
}

type BaseRecord struct {
	ID string `gorm:"primaryKey;size:26"`
}

type Invoice struct {
	BaseRecord
	Number string                 `gorm:"index:,unique,where:deleted_at IS NULL"`
	Total  decimal.Decimal        `gorm:"precision:10;scale:2"`
	Note   sql.Null[string]       `gorm:"size:80"`
	Tags   datatypes.JSONSlice[string]
	Lines  []Line `gorm:"foreignKey:InvoiceNo;references:Number"`
}

type Line struct {
	ID        uint `gorm:"primaryKey"`
	InvoiceNo string
	State     other.State `gorm:"default:new"`
	Plain     other.Thing
}

func find(db *gorm.DB, name string) (User, error) {
	var user User
	err := db.Preload("Company").Where("full_name = ?", name).Order("age DESC").First(&user).Error
	return user, err
}

func change(db *gorm.DB, card *Card) {
	db.Create(card)
	db.Model(&User{}).Where("age > ?", 3).Update("state", "shut")
	db.Where("number = ?", "1").Delete(&Card{})
}
