-- What a DuckDB file tells of its tables. coderag/sql/live/catalog.py says how this file is read.

-- name: database
SELECT current_database() AS name,
       comment,
       current_schema() AS schema_name,
       'DuckDB ' || version() AS version
  FROM duckdb_databases()
 WHERE database_name = current_database();

-- name: schemas
SELECT schema_name AS name,
       comment
  FROM duckdb_schemas()
 WHERE database_name = current_database()
   AND NOT internal
    OR database_name = current_database() AND schema_name = 'main'
 ORDER BY schema_name;

-- name: tables
SELECT schema_name,
       table_name AS name,
       'table' AS kind,
       comment,
       estimated_size AS row_count
  FROM duckdb_tables()
 WHERE database_name = current_database()
   AND NOT internal
   AND NOT temporary
   AND list_contains(:schemas, schema_name)
 UNION ALL
SELECT schema_name,
       view_name,
       'view',
       comment,
       -1
  FROM duckdb_views()
 WHERE database_name = current_database()
   AND NOT internal
   AND NOT temporary
   AND list_contains(:schemas, schema_name)
 ORDER BY schema_name, name;

-- name: columns
SELECT schema_name,
       table_name,
       column_name AS name,
       data_type AS type,
       is_nullable AS nullable,
       column_default AS expression,
       comment
  FROM duckdb_columns()
 WHERE database_name = current_database()
   AND NOT internal
   AND list_contains(:schemas, schema_name)
 ORDER BY schema_name, table_name, column_index;

-- name: keys
SELECT k.schema_name,
       k.table_name,
       CAST(k.constraint_index AS VARCHAR) AS key_name,
       k.constraint_type = 'PRIMARY KEY' AS main,
       k.name
  FROM (SELECT *, unnest(constraint_column_names) AS name
          FROM duckdb_constraints()
         WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE')) AS k
 WHERE k.database_name = current_database()
   AND list_contains(:schemas, k.schema_name)
 UNION ALL
SELECT i.schema_name,
       i.table_name,
       i.index_name,
       false,
       CASE WHEN i.part LIKE '"%' THEN replace(i.part[2:-2], '""', '"') ELSE i.part END
  FROM (SELECT *, unnest(CAST(expressions AS VARCHAR[])) AS part
          FROM duckdb_indexes()
         WHERE is_unique) AS i
 WHERE i.database_name = current_database()
   AND list_contains(:schemas, i.schema_name);

-- name: foreign_keys
SELECT f.schema_name,
       f.table_name,
       CAST(f.constraint_index AS VARCHAR) AS key_name,
       f.name,
       f.schema_name AS other_schema,
       f.referenced_table AS other_table,
       f.other_name
  FROM (SELECT *, unnest(constraint_column_names) AS name, unnest(referenced_column_names) AS other_name
          FROM duckdb_constraints()
         WHERE constraint_type = 'FOREIGN KEY') AS f
 WHERE f.database_name = current_database()
   AND list_contains(:schemas, f.schema_name);

-- name: checks
SELECT schema_name,
       table_name,
       expression
  FROM duckdb_constraints()
 WHERE constraint_type = 'CHECK'
   AND database_name = current_database()
   AND list_contains(:schemas, schema_name);

-- name: definitions
SELECT 'table' AS kind,
       schema_name,
       table_name AS name,
       sql AS text
  FROM duckdb_tables()
 WHERE database_name = current_database()
   AND NOT internal
   AND NOT temporary
   AND list_contains(:schemas, schema_name)
 UNION ALL
SELECT 'view',
       schema_name,
       view_name,
       sql
  FROM duckdb_views()
 WHERE database_name = current_database()
   AND NOT internal
   AND NOT temporary
   AND list_contains(:schemas, schema_name);

-- name: types
SELECT CAST(type_oid AS VARCHAR) AS id,
       schema_name,
       type_name AS name,
       CASE WHEN logical_type = 'ENUM' THEN 'enum' ELSE 'type' END AS kind,
       CASE WHEN logical_type = 'ENUM' THEN NULL ELSE logical_type END AS base,
       comment
  FROM duckdb_types()
 WHERE database_name = current_database()
   AND NOT internal
   AND list_contains(:schemas, schema_name)
 ORDER BY schema_name, type_name;

-- name: type_values
SELECT CAST(type_oid AS VARCHAR) AS id,
       unnest(labels) AS value
  FROM duckdb_types()
 WHERE database_name = current_database()
   AND NOT internal
   AND labels IS NOT NULL;

-- name: routines
SELECT concat(function_oid, '/', len(parameters)) AS id,
       schema_name,
       function_name AS name,
       'function' AS kind,
       CASE WHEN function_type = 'table_macro' THEN 'TABLE' END AS returns,
       'sql' AS language,
       macro_definition AS body,
       comment
  FROM duckdb_functions()
 WHERE database_name = current_database()
   AND NOT internal
   AND function_type IN ('macro', 'table_macro')
   AND list_contains(:schemas, schema_name)
 ORDER BY schema_name, function_name;

-- name: parameters
SELECT concat(function_oid, '/', len(parameters)) AS id,
       unnest(parameters) AS name
  FROM duckdb_functions()
 WHERE database_name = current_database()
   AND NOT internal
   AND function_type IN ('macro', 'table_macro')
   AND list_contains(:schemas, schema_name);

-- name: cell
left(CAST({column} AS VARCHAR), {characters})

-- name: sample
SELECT {cells} FROM {table} LIMIT {rows};

-- name: sample_large
SELECT {cells} FROM {table} TABLESAMPLE SYSTEM ({percent} PERCENT) LIMIT {rows};
