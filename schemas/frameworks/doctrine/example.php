<?php

declare(strict_types=1);

namespace DoctrineMigrations;

use Doctrine\DBAL\Schema\Schema;
use Doctrine\DBAL\Types\Types;
use Doctrine\Migrations\AbstractMigration;

final class Version20240101000000 extends AbstractMigration
{
    private const TABLE = 'posts';

    public function up(Schema $schema): void
    {
        $this->addSql('CREATE TABLE users (id INT NOT NULL, PRIMARY KEY(id))');
        $table = $schema->createTable(self::TABLE);
        $table->addColumn('id', 'integer', ['autoincrement' => true]);
        $table->addColumn('title', Types::STRING, ['length' => 100, 'notnull' => false, 'comment' => 'as shown']);
        $table->addColumn('price', 'decimal', ['precision' => 8, 'scale' => 2, 'default' => 0]);
        $table->addColumn('made', Types::DATETIME_IMMUTABLE)->setNotnull(false);
        $table->addColumn('user_id', 'integer');
        $table->addColumn('colour', 'colour');
        $table->setPrimaryKey(['id']);
        $table->addUniqueIndex(['title'], 'uq_title');
        $table->addIndex(['made'], 'ix_made');
        $table->addForeignKeyConstraint('users', ['user_id'], ['id'], ['onDelete' => 'CASCADE'], 'fk_user');
        $users = $schema->getTable('users');
        $users->addColumn('mail', 'string', ['length' => 20]);
        $users->changeColumn('mail', ['notnull' => false]);
        $users->getColumn('mail')->setType(Types::TEXT);
        if ($users->hasColumn('old')) {
            $users->dropColumn('old');
        }
        $schema->dropTable('visits');
        $schema->renameTable('tags', 'labels');
        $schema->createTable($this->prefix . 'logs');
    }

    public function down(Schema $schema): void
    {
        $schema->dropTable('posts');
        $this->addSql('DROP TABLE users');
    }
}
