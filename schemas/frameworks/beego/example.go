package models

import (
	"time"

	"github.com/beego/beego/v2/client/orm"
)

// User is somebody who signs in.
type User struct {
	Id      int
	Name    string    `orm:"size(100);unique"`
	Profile *Profile  `orm:"null;rel(one);on_delete(set_null)"`
	Posts   []*Post   `orm:"reverse(many)"`
	Joined  time.Time `orm:"auto_now_add;type(datetime)"`
	Score   float64   `orm:"default(1.5);description(of all games)"`
	Secret  string    `orm:"-"`
	hidden  string
}

type Profile struct {
	ProfileID int16 `orm:"pk;auto;column(pid)"`
	Age       int16 `orm:"null"`
	User      *User `orm:"reverse(one)"`
}

type Post struct {
	Base
	Title string `orm:"size(60)"`
	User  *User  `orm:"rel(fk)"`
	Tags  []*Tag `orm:"rel(m2m)"`
}

type Base struct {
	Id      int64 `orm:"pk;auto"`
	Created time.Time
}

type Tag struct {
	Id   int
	Name string `orm:"type(text)"`
}

func (t *Tag) TableName() string { return "tags" }

type Computed struct {
	Id int `orm:"pk"`
}

func (c *Computed) TableName() string { return prefix() + "computed" }

// Form is no model.
type Form struct {
	Name string `form:"name"`
}

func init() {
	orm.RegisterModel(new(User), new(Profile), new(Post), new(Tag))
}

func work(o orm.Ormer, user *User) error {
	if err := o.Read(user, "Name"); err != nil {
		return err
	}
	var posts []*Post
	o.QueryTable("post").Filter("user__name", "x").OrderBy("-title").All(&posts)
	o.QueryTable(new(Post)).Filter("Title__icontains", "x").RelatedSel().Count()
	o.QueryTable(&Tag{}).Filter("name", "old").Delete()
	o.Insert(&Post{Title: "new", User: user})
	o.Update(user, "Score")
	o.Delete(&Profile{ProfileID: 3})
	return nil
}
