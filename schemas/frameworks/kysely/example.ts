import { Kysely, sql } from 'kysely'

const slug = sql`citext`

export async function up(db: Kysely<any>): Promise<void> {
  await sql`CREATE EXTENSION IF NOT EXISTS citext`.execute(db)
  await db.schema.createType('mood').asEnum(['open', 'shut']).execute()
  await db.schema
    .createTable('person')
    .ifNotExists()
    .addColumn('id', 'serial', (col) => col.primaryKey())
    .addColumn('first_name', 'varchar(80)', (col) => col.notNull().unique())
    .addColumn('slug', slug)
    .addColumn('mood', sql`mood`, (col) => {
      return col.notNull().defaultTo('open')
    })
    .addColumn('age', 'integer', (col) => col.defaultTo(18))
    .addColumn('created_at', 'timestamptz', (col) => col.notNull().defaultTo(sql`now()`))
    .execute()

  await db.schema
    .withSchema('app')
    .createTable('pet')
    .addColumn('owner_id', 'integer', (col) => col.references('person.id').onDelete('cascade').notNull())
    .addColumn('name', 'text', (col) => col.notNull())
    .addPrimaryKeyConstraint('pet_pkey', ['owner_id', 'name'])
    .addUniqueConstraint('pet_name', ['name'])
    .addForeignKeyConstraint('pet_owner', ['owner_id'], 'person', ['id'], (cb) => cb.onDelete('cascade'))
    .addCheckConstraint('pet_named', sql`length(name) > 1`)
    .execute()

  await db.schema.createIndex('pet_once').unique().on('app.pet').columns(['name', 'owner_id']).execute()
  await db.schema.createIndex('pet_by_name').on('pet').column('name').execute()
  await db.schema
    .alterTable('person')
    .addColumn('nick', 'text')
    .alterColumn('age', (col) => col.setDataType('bigint'))
    .alterColumn('slug', (col) => col.setNotNull())
    .alterColumn('mood', (col) => col.dropDefault())
    .renameColumn('first_name', 'name')
    .dropColumn('created_at')
    .execute()
  await db.schema.alterTable('person').renameTo('people').execute()
  await db.schema.dropTable('old_people').ifExists().execute()
  for (const name of ['a', 'b']) {
    await db.schema.dropTable(name).execute()
  }
  await sql`ALTER TABLE people ADD COLUMN score int`.execute(db)
}

export async function down(db: Kysely<any>): Promise<void> {
  await db.schema.dropTable('person').execute()
}
