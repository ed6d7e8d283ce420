"""Statements of SeaQuery, in migrations of SeaORM and elsewhere, to operations."""

from __future__ import annotations

import pytest

from coderag.frameworks.registry import read_code
from coderag.sql.records import Facts
from tests.frameworks.show import show

MIGRATION = """
use sea_orm_migration::{prelude::*, schema::*};
use super::m20240101_000001_start::Shops;

const LENGTH: u32 = 40;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(
            Table::create()
                .table(Users::Table)
                .if_not_exists()
                .col(pk_auto(Users::Id))
                .col(string_len_null(Users::Nick, LENGTH))
                .col(ColumnDef::new(Users::Mail).string_len(LENGTH).not_null().unique_key())
                .col(ColumnDef::new(Users::JoinedAt).timestamp_with_time_zone().not_null().default(Expr::current_timestamp()))
                .col(ColumnDef::new(Alias::new("rank")).integer().default(1))
                .col(ColumnDef::new(Users::ShopId).big_integer())
                .foreign_key(
                    ForeignKey::create()
                        .name("fk_shop")
                        .from(Users::Table, Users::ShopId)
                        .to(Shops::Table, Shops::Id)
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        ).await?;
        manager.create_table(
            Table::create()
                .table((Alias::new("shop"), UserTag::Table))
                .col(ColumnDef::new(UserTag::UserId).integer().not_null())
                .col(ColumnDef::new(UserTag::Tag).string().not_null())
                .primary_key(Index::create().col(UserTag::UserId).col(UserTag::Tag))
                .index(Index::create().unique().name("one").col(UserTag::Tag))
                .to_owned(),
        ).await?;
        manager.create_index(Index::create().name("i").table(Users::Table).col(Users::Nick).unique().to_owned()).await?;
        manager.create_index(Index::create().name("j").table(Users::Table).col(Users::Mail).to_owned()).await?;
        manager.alter_table(
            Table::alter()
                .table(Users::Table)
                .add_column_if_not_exists(ColumnDef::new("note").text())
                .modify_column(ColumnDef::new(Users::Nick).string_len(80).not_null())
                .rename_column(Users::Mail, Alias::new("email"))
                .drop_column(Users::ShopId)
                .drop_foreign_key(Alias::new("fk_shop"))
                .to_owned(),
        ).await?;
        manager.rename_table(Table::rename().table(Alias::new("old"), Alias::new("new")).to_owned()).await?;
        manager.drop_table(Table::drop().table(Shops::Table).if_exists().to_owned()).await?;
        manager.alter_table(Table::alter().table(name_of()).drop_column(Users::Id).to_owned()).await?;
        let db = manager.get_connection();
        db.execute_unprepared(r#"ALTER TABLE "new" ADD COLUMN "at" date"#).await?;
        db.execute_unprepared("UPDATE users SET rank = 2").await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Users::Table).to_owned()).await
    }
}

#[derive(DeriveIden)]
pub enum Users {
    Table,
    Id,
    #[sea_orm(iden = "nick_name")]
    Nick,
    Mail,
    JoinedAt,
    ShopId,
}

#[derive(Iden)]
#[iden = "tags_of_users"]
enum UserTag { Table, UserId, Tag }
"""
SHOWN = """table users
  id integer not null identity
  nick_name varchar(40)
  mail varchar(40) not null
  joined_at timestamp with time zone not null default CURRENT_TIMESTAMP
  rank integer default 1
  shop_id bigint
  primary key id
  unique mail
  key shop_id to shops (id)
table shop.tags_of_users
  user_id integer not null
  tag varchar not null
  primary key user_id, tag
constrain shop.tags_of_users one unique tag
constrain users i unique nick_name
add users: note text
alter users.nick_name type='varchar(80)' nullable=False
rename users.mail to email
drop users.shop_id
drop constraint users fk_shop
rename old to new
drop table shops
add new: at date
lost 52: computed at run time"""


def facts_of(text: str, *, path: str = "migration/src/m20240201_000001_users.rs") -> Facts | None:
    return read_code(text.encode(), language="rust", path=path)


def test_a_migration() -> None:
    facts = facts_of(MIGRATION)
    assert facts is not None
    assert facts.series is not None
    assert (facts.series.tool, facts.series.version) == ("sea-orm", "20240201_000001")
    assert "\n".join(show(facts)) == SHOWN


def test_statements_outside_of_migrations_count_too() -> None:
    facts = facts_of(
        'use sea_query::Table;\nfn make() { Table::create().table("a").col(integer("b")).take(); }\n'
        'fn down() { Table::drop().table("a").take(); }\n',
        path="src/tables.rs",
    )
    assert facts is not None
    assert facts.series is None
    assert show(facts) == ["table a", "  b integer not null"]


def test_a_migration_that_changes_rows_only_keeps_its_place() -> None:
    facts = facts_of("impl MigrationTrait for Migration { async fn up() { seed().await } }")
    assert facts is not None
    assert facts.series is not None
    assert not facts.operations


@pytest.mark.parametrize(
    "text",
    [
        "use sea_query; fn a() { Table::create()" + ".col(ColumnDef::new(" * 3_000 + " }",
        "use sea_query; const A: &str = A; fn a() { Table::create().table(A).col(integer(A)) }",
        "use sea_query; fn a() { Table::create().table(" + "Alias::new(" * 2_000 + '"x"' + ")" * 2_000 + ") }",
    ],
)
def test_hostile_statements_end(text: str) -> None:
    facts = facts_of(text)
    assert facts is None or len(facts.operations) < 3
