/** @type {import('node-pg-migrate').ColumnDefinitions | undefined} */
exports.shorthands = undefined;

const stamp = { type: 'timestamptz', notNull: true, default: pgm.func('now()') };

exports.up = async (pgm) => {
  pgm.createExtension('pgcrypto', { ifNotExists: true });
  pgm.createTable('users', {
    id: 'id',
    email: { type: 'varchar(255)', notNull: true, unique: true },
    bio: 'text',
    role: { type: 'string', notNull: true, default: 'user', comment: 'what somebody may do' },
    visits: { type: 'int', default: 0 },
    created_at: stamp,
  });
  pgm.createTable({ schema: 'app', name: 'posts' }, {
    id: { type: 'uuid', primaryKey: true, default: pgm.func('gen_random_uuid()') },
    user_id: { type: 'integer', notNull: true, references: 'users(id)', onDelete: 'CASCADE' },
    team_id: { type: 'integer', references: '"teams"' },
  }, { constraints: { unique: [['user_id', 'team_id']], check: 'team_id > 0' } });
  pgm.addColumns('users', { phone: { type: 'text', unique: true }, seen_at: { type: 'datetime' } });
  pgm.addConstraint('users', 'users_phone_check', 'CHECK (length(phone) > 3)');
  pgm.addConstraint('users', 'users_team', {
    foreignKeys: { columns: ['team_id'], references: 'app.teams(id)' },
  });
  pgm.createIndex('users', ['email', 'phone'], { unique: true, name: 'users_once' });
  pgm.createIndex('users', 'bio');
  pgm.alterColumn('users', 'bio', { type: 'varchar(900)', notNull: true });
  pgm.renameColumn('users', 'role', 'rank');
  pgm.dropColumns('users', ['visits']);
  pgm.dropConstraint('users', 'users_once');
  pgm.sql('ALTER TABLE users ADD COLUMN score int');
};

exports.down = (pgm) => {
  pgm.dropTable('users');
};
