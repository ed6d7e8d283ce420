"""What hands work to a queue calls the task or job that is run: Celery and its like, Active Job, Sidekiq, Laravel."""

from __future__ import annotations

from pathlib import Path

from tests.graph.edges.test_code import calls


def test_tasks_of_python(tmp_path: Path) -> None:
    files = {
        "app/tasks.py": "@shared_task(bind=True)\ndef consume(self, path): ...\n",
        "app/views.py": """
from app import tasks
from app.tasks import consume

def later(path):
    consume.delay(path)

def with_options(path):
    tasks.consume.apply_async(kwargs={"path": path}, countdown=3)

def chained(paths):
    return chain(consume.s(path) for path in paths)

def sent(socket):
    socket.send(b"x")
""",
    }
    assert calls(tmp_path, files, worst=3) == {f"{one} > consume" for one in ("later", "with_options", "chained")}


def test_jobs_of_ruby(tmp_path: Path) -> None:
    files = {
        "app/jobs/clean_job.rb": "class CleanJob < ApplicationJob\n  def perform(id)\n    id\n  end\nend\n",
        "app/models/user.rb": """
class User
  def create
    CleanJob.perform_later(1)
  end

  def drop
    CleanJob.set(wait: 1.hour).perform_later(1)
  end

  def queue
    CleanJob.new(self).enqueue(priority: 1)
  end
end
""",
    }
    assert calls(tmp_path, files, worst=3) >= {
        f"User::{one} > CleanJob::perform" for one in ("create", "drop", "queue")
    }


def test_jobs_of_laravel(tmp_path: Path) -> None:
    files = {
        "app/Jobs/SendMail.php": """<?php
namespace App\\Jobs;
use Illuminate\\Foundation\\Bus\\Dispatchable;
class SendMail implements ShouldQueue {
    use Dispatchable;
    public function handle(): void {}
}
class Sent {
    public static function dispatch(): void {}
    public function handle(): void {}
}
""",
        "app/Order.php": """<?php
namespace App;
use App\\Jobs\\SendMail;
use App\\Jobs\\Sent;
class Order {
    public function ship() { SendMail::dispatch($this)->onQueue('high'); }
    public function note() { Sent::dispatch($this); }
}
""",
    }
    found = calls(tmp_path, files, worst=3)
    assert "Order::ship > SendMail::handle" in found
    assert "Order::note > Sent::dispatch" in found
    assert "Order::note > Sent::handle" not in found
