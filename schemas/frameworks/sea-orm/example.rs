use sea_orm::entity::prelude::*;

pub mod cake {
    use sea_orm::entity::prelude::*;

    /// A cake. It is baked.
    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "cake", schema_name = "bakery")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i32,
        #[sea_orm(column_name = "title", unique)]
        pub name: String,
        #[sea_orm(column_type = "Text", nullable)]
        pub notes: Option<String>,
        pub fruit_id: Option<i32>,
        pub price: Decimal,
        #[sea_orm(ignore)]
        pub cached: bool,
        /// As the baker says.
        pub r#type: super::Kind,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::fruit::Entity",
            from = "Column::FruitId",
            to = "super::fruit::Column::Code",
            on_delete = "Cascade"
        )]
        Fruit,
        #[sea_orm(has_many = "super::filling::Entity")]
        Filling,
    }
}

mod fruit {
    #[derive(DeriveEntityModel)]
    #[sea_orm(table_name = "fruits")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub code: i32,
        pub picked: Vec<u8>,
    }

    pub struct Row {
        pub code: i32,
    }
}

async fn change(db: &DatabaseConnection, x: i32) -> Result<(), DbErr> {
    let found = Cake::find()
        .filter(cake::Column::Name.contains("a"))
        .order_by_asc(cake::Column::Id)
        .find_also_related(Fruit)
        .all(db)
        .await?;
    let one = cake::Entity::find_by_id(x).one(db).await?;
    let mut active: cake::ActiveModel = one.into();
    active.name = Set("b".to_owned());
    active.update(db).await?;
    let made = fruit::ActiveModel { code: Set(1), ..Default::default() };
    made.insert(db).await?;
    fruit::ActiveModel { picked: Set(vec![]), ..Default::default() }.save(db).await?;
    Cake::update_many().col_expr(cake::Column::Price, Expr::value(1)).filter(cake::Column::Id.eq(x)).exec(db).await?;
    Fruit::delete_many().filter(fruit::Column::Code.lt(3)).exec(db).await?;
    Ok(())
}

async fn follow(db: &DatabaseConnection, x: i32) -> Result<(), DbErr> {
    fruit::Entity::find().join(JoinType::InnerJoin, fruit::Relation::Cake.def()).count(db).await?;
    let known = load(db, x).await?;
    known.find_related(fruit::Entity).all(db).await?;
    if let Some(old) = cake::Entity::find_by_id(x).one(db).await? {
        old.delete(db).await?;
    }
    let new = cake::ActiveModel { name: Set("c".to_owned()), ..Default::default() };
    cake::Entity::insert(new).exec(db).await?;
    Ok(())
}
