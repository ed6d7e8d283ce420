// @generated automatically by Diesel CLI.

pub mod sql_types {
    #[derive(diesel::sql_types::SqlType)]
    #[diesel(postgres_type(name = "post_state"))]
    pub struct PostState;
}

diesel::table! {
    users (id) {
        id -> Int4,
        #[max_length = 40]
        name -> Varchar,
        #[sql_name = "type"]
        type_ -> Nullable<Text>,
        tags -> Array<Nullable<Text>>,
        joined_at -> Timestamptz,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use super::sql_types::PostState;

    /// What users have written.
    blog.posts (id, lang) {
        id -> Int8,
        lang -> Bpchar,
        user_id -> Int4,
        parent_id -> Nullable<Int8>,
        state -> PostState, // a type of the database
        #[max_length = 100]
        title -> Nullable<diesel::sql_types::Varchar>,
    }
}

table! {
    #[sql_name = "tag list"]
    tag_list {
        id -> Integer,
        body -> Nullable<Jsonb>
    }
}

diesel::table! {
    pg_class (oid) {
        oid -> Oid,
    }
}

diesel::joinable!(posts -> users (user_id));
diesel::allow_tables_to_appear_in_same_query!(posts, users, tag_list,);

fn next_values(conn: &mut PgConnection) -> Vec<i64> {
    diesel::table! {
        results (id) {
            id -> Int8,
        }
    }
    diesel::sql_query("SELECT nextval('posts_id') AS id").load(conn)
}
