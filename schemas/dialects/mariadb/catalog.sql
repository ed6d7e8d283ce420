-- What a MariaDB server, 10.3 or newer, tells of its databases. coderag/sql/live/catalog.py says how this file is read.

-- name: database
SELECT coalesce(DATABASE(), '') AS name,
       coalesce(DATABASE(), '') AS schema_name,
       concat('MariaDB ', VERSION()) AS version;

-- name: schemas
SELECT SCHEMA_NAME AS name
  FROM information_schema.SCHEMATA
 WHERE lower(SCHEMA_NAME) NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')
 ORDER BY SCHEMA_NAME;

-- name: schema_comments
-- when: SELECT 1 FROM information_schema.COLUMNS WHERE TABLE_NAME = 'SCHEMATA' AND COLUMN_NAME = 'SCHEMA_COMMENT'
SELECT SCHEMA_NAME AS name,
       SCHEMA_COMMENT AS comment
  FROM information_schema.SCHEMATA
 WHERE SCHEMA_NAME IN :schemas;

-- name: tables
-- The comment of a view is the word VIEW, or what is wrong with it; so is that of a table that cannot be opened.
SELECT TABLE_SCHEMA AS schema_name,
       TABLE_NAME AS name,
       CASE WHEN TABLE_TYPE = 'VIEW' THEN 'view'
            WHEN ENGINE IN ('CONNECT', 'FEDERATED', 'SPIDER', 'S3') THEN 'external table'
            ELSE 'table' END AS kind,
       CASE WHEN TABLE_TYPE <> 'VIEW' AND ENGINE IS NOT NULL THEN TABLE_COMMENT END AS comment,
       CASE WHEN TABLE_TYPE = 'VIEW' AND TABLE_COMMENT <> 'VIEW' THEN TABLE_COMMENT
            WHEN TABLE_TYPE <> 'VIEW' AND ENGINE IS NULL THEN TABLE_COMMENT END AS problem,
       TABLE_ROWS AS row_count,
       DATE_FORMAT(UPDATE_TIME, '%Y-%m-%dT%H:%i:%SZ') AS updated
  FROM information_schema.TABLES
 WHERE TABLE_SCHEMA IN :schemas
   AND TABLE_TYPE NOT IN ('SEQUENCE', 'SYSTEM VIEW', 'TEMPORARY')
 ORDER BY TABLE_SCHEMA, TABLE_NAME;

-- name: columns
SELECT TABLE_SCHEMA AS schema_name,
       TABLE_NAME AS table_name,
       COLUMN_NAME AS name,
       COLUMN_TYPE AS type,
       IS_NULLABLE = 'YES' AS nullable,
       EXTRA LIKE '%auto_increment%' AS identity,
       GENERATION_EXPRESSION IS NOT NULL AS computed,
       coalesce(GENERATION_EXPRESSION, NULLIF(COLUMN_DEFAULT, 'NULL')) AS expression,
       COLUMN_COMMENT AS comment
  FROM information_schema.COLUMNS
 WHERE TABLE_SCHEMA IN :schemas
 ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION;

-- name: keys
-- A unique index counts where it covers whole columns.
SELECT s.TABLE_SCHEMA AS schema_name,
       s.TABLE_NAME AS table_name,
       s.INDEX_NAME AS key_name,
       s.INDEX_NAME = 'PRIMARY' AS main,
       s.SUB_PART IS NOT NULL AS partial,
       s.COLUMN_NAME AS name
  FROM information_schema.STATISTICS AS s
 WHERE s.NON_UNIQUE = 0
   AND s.TABLE_SCHEMA IN :schemas
 ORDER BY s.TABLE_SCHEMA, s.TABLE_NAME, s.INDEX_NAME, s.SEQ_IN_INDEX;

-- name: foreign_keys
SELECT k.TABLE_SCHEMA AS schema_name,
       k.TABLE_NAME AS table_name,
       k.CONSTRAINT_NAME AS key_name,
       k.COLUMN_NAME AS name,
       k.REFERENCED_TABLE_SCHEMA AS other_schema,
       k.REFERENCED_TABLE_NAME AS other_table,
       k.REFERENCED_COLUMN_NAME AS other_name
  FROM information_schema.KEY_COLUMN_USAGE AS k
 WHERE k.REFERENCED_TABLE_NAME IS NOT NULL
   AND k.TABLE_SCHEMA IN :schemas
 ORDER BY k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION;

-- name: checks
SELECT CONSTRAINT_SCHEMA AS schema_name,
       TABLE_NAME AS table_name,
       CHECK_CLAUSE AS expression
  FROM information_schema.CHECK_CONSTRAINTS
 WHERE CONSTRAINT_SCHEMA IN :schemas
 ORDER BY CONSTRAINT_SCHEMA, TABLE_NAME, CONSTRAINT_NAME;

-- name: views
SELECT TABLE_SCHEMA AS schema_name,
       TABLE_NAME AS name,
       VIEW_DEFINITION AS text
  FROM information_schema.VIEWS
 WHERE TABLE_SCHEMA IN :schemas;

-- name: routines
SELECT concat(ROUTINE_SCHEMA, '/', SPECIFIC_NAME, '/', ROUTINE_TYPE) AS id,
       ROUTINE_SCHEMA AS schema_name,
       ROUTINE_NAME AS name,
       lower(ROUTINE_TYPE) AS kind,
       DTD_IDENTIFIER AS returns,
       lower(ROUTINE_BODY) AS language,
       ROUTINE_DEFINITION AS body,
       ROUTINE_DEFINITION IS NOT NULL AS readable,
       ROUTINE_COMMENT AS comment
  FROM information_schema.ROUTINES
 WHERE ROUTINE_SCHEMA IN :schemas
   AND ROUTINE_TYPE IN ('FUNCTION', 'PROCEDURE')
 ORDER BY ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE;

-- name: parameters
SELECT concat(SPECIFIC_SCHEMA, '/', SPECIFIC_NAME, '/', ROUTINE_TYPE) AS id,
       PARAMETER_NAME AS name,
       DTD_IDENTIFIER AS type
  FROM information_schema.PARAMETERS
 WHERE SPECIFIC_SCHEMA IN :schemas
   AND ORDINAL_POSITION > 0
 ORDER BY SPECIFIC_SCHEMA, SPECIFIC_NAME, ROUTINE_TYPE, ORDINAL_POSITION;

-- name: triggers
SELECT TRIGGER_SCHEMA AS schema_name,
       TRIGGER_NAME AS name,
       EVENT_OBJECT_SCHEMA AS table_schema,
       EVENT_OBJECT_TABLE AS table_name,
       'sql' AS language,
       ACTION_STATEMENT AS body
  FROM information_schema.TRIGGERS
 WHERE TRIGGER_SCHEMA IN :schemas
 ORDER BY TRIGGER_SCHEMA, TRIGGER_NAME;

-- name: cell
left(CAST({column} AS CHAR), {characters})

-- name: sample
SELECT {cells} FROM {table} LIMIT {rows};
