#!/usr/bin/env node
/**
 * A job queue with retries.
 *
 * @module queue
 */
'use strict';

const fs = require('fs'), path = require('path');
const { promisify } = require('util');
const debug = require('debug')('queue');
import EventEmitter, { once as waitFor } from 'node:events';
import * as metrics from './metrics.js';
export * from './errors.js';
export { Worker } from './worker.js';

/** How often a job is tried before it is given up. */
export const MAX_ATTEMPTS = 5;

let running = 0, waiting = [], onIdle = function () { running = 0; };
var legacy;

/**
 * Return after some time. Used between two attempts.
 * @param {number} ms - milliseconds
 */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Double the delay with every attempt,
// up to a minute.
export const backoff = async function (attempt, { base = 100, cap = 60_000 } = {}) {
  const delay = Math.min(cap, base * 2 ** attempt);
  await sleep(delay);
  return delay;
};

export async function* drain(queue) {
  while (queue.size) yield queue.shift();
}

function* ids() { let next = 0; while (true) yield next++; } function reset() { running = 0; }

/** A queue that keeps its jobs in memory. */
export class Queue extends EventEmitter {
  static #instances = new Set();
  static limit = 10;
  name = 'Schlange – 待ち行列'; // shown in logs
  onError = (error) => { this.emit('error', error); };

  static {
    Queue.#instances.clear();
  }

  constructor(name, ...jobs) {
    super();
    this.name = name;
    this.jobs = jobs;
    this.stop = function () { running = 0; };
  }

  /** Number of waiting jobs. */
  get size() { return this.jobs.length; }
  set size(value) { this.jobs.length = value; }

  @metrics.timed
  async push(job) {
    const retry = async (attempt) => {
      await backoff(attempt);
      return this.#run(job);
    };
    return retry(0);
  }

  async #run(job) { return job?.run?.(this); }

  *[Symbol.iterator]() { yield* this.jobs; }

  static from(list) { return new Queue('list', ...list); }
  'quoted name'() {}
}

@metrics.counted
@Registry.add({ scope: 'queue' })
class Named extends (class Base {}) {}

const Memory = class extends Queue {
  clear() { this.jobs = []; }
};

function Legacy(name) {
  this.name = name;
}

Legacy.prototype.start = function start() { return this.name; };
Legacy.prototype = {
  pause: function () {},
  resume() { this.start(); },
};
Legacy.create = (name) => new Legacy(name);

exports.handlers = {
  retry: async (job) => job.retry(),
  nested: { deep: function () { return 1; } },
};
exports.flush = () => waiting.splice(0);
module.exports = function createQueue(options) {
  return function middleware(request, response, next) {
    next();
  };
};

(function plugin($) {
  $.fn.queue = function (options) {
    var settings = $.extend({ done: function () {} }, options);
    return settings;
  };
})(jQuery);

export const Button = ({ onClick, children }) => (
  <Theme.Consumer>
    {(theme) => <Icon className={theme} onClick={onClick}>{children}</Icon>}
  </Theme.Consumer>
);

export const { useJobs, useQueue: useOne } = createHooks(Queue);

describe('Queue', () => {
  const queue = new Queue('test');
  function helper() { return queue.size; }
  beforeEach(() => queue.clear());

  it("runs jobs in order", async () => {
    expect(helper()).toBe(0);
  });
  it.each([1, 2])('retries %i times', (times) => { backoff(times); });
  test.skip(`is ${'slow'}`, function () {});
});

app.get('/jobs', function listJobs(request, response) { response.json(waiting); });

   export default   {
 name:'queue-view',
      data () { return { jobs: [] } },
   methods :{ reload(){ return fetch('/jobs')} ,
     stop : ()=>{} }
}
