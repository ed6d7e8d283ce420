package models

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// User is somebody who signs in.
type User struct {
	bun.BaseModel `bun:"table:app.users,alias:u"`
	Stamps

	ID       int64     `bun:"id,pk,autoincrement"`
	UserName string    `bun:",notnull,unique"`
	Email    *string   `bun:"mail,type:varchar(120)"` // where mail goes
	Balance  float64   `bun:"type:decimal(10,2),default:0"`
	TeamID   int64     `bun:"team_id"`
	Team     *Team     `bun:"rel:belongs-to,join:team_id=id"`
	Posts    []*Post   `bun:"rel:has-many,join:id=user_id"`
	Rank     int       `bun:"rank,scanonly"`
	Secret   string    `bun:"-"`
	hidden   string
}

type Stamps struct {
	CreatedAt time.Time `bun:",nullzero,notnull,default:current_timestamp"`
}

type Team struct {
	bun.BaseModel

	ID   int64 `bun:",pk"`
	Name string
}

type Post struct {
	bun.BaseModel `bun:"posts"`

	Slug   string `bun:",pk"`
	UserID int64
}

type ListEntry struct {
	ID     string `bun:"type:CHAR(26),pk,nullzero,notnull,unique"`
	ListID string `bun:"type:CHAR(26),unique:listentry,nullzero"`
	UserID string `bun:"type:CHAR(26),unique:listentry"`
}

type row struct {
	ID int64 `bun:"id"`
}

func find(ctx context.Context, db *bun.DB, mail string) (*User, error) {
	user := new(User)
	err := db.NewSelect().Model(user).Relation("Team").Where("mail = ?", mail).Order("rank DESC").Scan(ctx)
	return user, err
}

func names(ctx context.Context, db bun.IDB) ([]Post, error) {
	var posts []Post
	query := db.NewSelect().Model(&posts).Column("slug")
	return posts, query.Where("user_id IN (?)", 1).Scan(ctx)
}

func change(ctx context.Context, db *bun.DB, user *User) error {
	db.NewInsert().Model(&Post{Slug: "a", UserID: 1}).Exec(ctx)
	db.NewUpdate().Model(user).Set("rank = rank + 1").Where("id = ?", 3).Exec(ctx)
	db.NewUpdate().Model((*Team)(nil)).Set("name = ?", "x").Exec(ctx)
	db.NewDelete().Table("audit.events").Where("day < ?", 3).Exec(ctx)
	return nil
}

func entries(ctx context.Context, db *bun.DB, id string) error {
	return db.NewSelect().TableExpr("? AS ?", bun.Ident("list_entries"), bun.Ident("list_entry")).
		Column("list_entry.id").Where("? = ?", bun.Ident("list_entry.list_id"), id).Scan(ctx)
}
