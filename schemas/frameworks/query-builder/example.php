<?php

namespace App\Model;

use App\Core\Base;

class TaskModel extends Base
{
    const TABLE = 'tasks';

    public function open($projectId)
    {
        return $this->db->table(self::TABLE)
            ->columns(self::TABLE.'.id', UserModel::TABLE.'.name AS owner')
            ->join(UserModel::TABLE, 'id', 'owner_id')
            ->eq('project_id', $projectId)
            ->in(self::TABLE.'.status', array('open', 'waiting'))
            ->asc('position')
            ->findAll();
    }

    public function all()
    {
        return $this->db->table('tasks')->findAll();
    }

    public function close($id)
    {
        return $this->db->table(TaskModel::TABLE)->eq('id', $id)->update(array('status' => 'closed', 'closed_at' => time()));
    }

    public function remove($id)
    {
        $query = $this->db->table(self::TABLE);
        $query->eq('id', $id);
        return $query->remove();
    }

    public function change()
    {
        $this->schema->table('tasks', function ($table) {
            $table->string('name');
        });
        $this->table('tasks')->addColumn('name', 'string')->update();
    }
}
