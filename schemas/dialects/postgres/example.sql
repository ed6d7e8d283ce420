--
-- PostgreSQL database dump
--
\connect library
SET search_path = public, pg_catalog;

CREATE EXTENSION IF NOT EXISTS "uuid-ossp";

/* What a copy of a book may be.
 * A /* nested */ comment. */
CREATE TYPE public.copy_state AS ENUM ('on the shelf', 'lent; due', 'it''s lost');
CREATE DOMAIN public.isbn AS text CHECK (VALUE ~ '^[0-9]{13}$'); -- thirteen digits

--
-- Name: book; Type: TABLE; Schema: public; Owner: librarian
--

-- A title that the library has,
-- however many copies there are.
CREATE TABLE IF NOT EXISTS public.book (
    id bigserial PRIMARY KEY,
    isbn public.isbn UNIQUE, -- it's missing for old ones; see notes
    "Title; main" text NOT NULL DEFAULT E'it\'s untitled; yet',
    notes jsonb DEFAULT '{"a": ";"}'::jsonb
);
ALTER TABLE ONLY public.book OWNER TO librarian;

COMMENT ON TABLE public.book IS 'A title;
on two lines';

COPY public.book (id, isbn, notes) FROM stdin;
1	9780000000001	{"quote": "it's"}
2	\N	CREATE TABLE no;
\.

CREATE FUNCTION public.due(days integer DEFAULT 14) RETURNS date
    LANGUAGE plpgsql AS $_$
BEGIN
    EXECUTE 'CREATE TABLE x (a int);' || $q$;$q$;
    RETURN current_date + days;
END;
$_$;

CREATE FUNCTION public.twice(n integer) RETURNS integer
BEGIN ATOMIC
    SELECT CASE WHEN n IS NULL THEN 0 ELSE n * 2 END;
END;

DO $$ BEGIN PERFORM public.due(); END $$;

-- The schema and its elements are one statement to the database.
CREATE SCHEMA desk
    CREATE TABLE counter (id int)
    CREATE VIEW open_counter AS SELECT * FROM counter;

BEGIN;
INSERT INTO public.book (id) VALUES (3);
INSERT INTO public.book (id) VALUES (4), (5);
INSERT INTO public.book (id) SELECT max(id) + 1 FROM public.book;
COMMIT;
SELECT format('VACUUM %I;', relname) FROM pg_class \gexec
