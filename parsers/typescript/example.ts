/**
 * Storage of documents, with caches in front.
 */
import { Injectable, Input as In } from '@lib/core';
import type { Options } from './options';
import * as fs from 'node:fs';
import legacy = require('legacy');
import Inner = legacy.deep.Inner;
import './polyfill';
export * as errors from './errors';
export type { Options } from './options';

/** Largest document in bytes. */
export const MAX_BYTES: number = 1 << 20;
export const enum Level { Low, High = 'high' }
const a = 1, pick = <T,>(list: T[]): T => list[0], c = 'ü';
declare const VERSION: string;

/** What a store can do. */
export interface Store<K extends string, V = unknown> extends Iterable<V> {
  readonly size: number;
  name?: string;
  /** Return the value, or undefined. */
  get(key: K): V | undefined;
  set<T extends V>(
    key: K,
    value: T,
  ): this;
  new (size: number): Store<K, V>;
  (key: K): V;
  [key: string]: any;
  get last(): V;
}

export type Listener<T> = (event: T, ...rest: unknown[]) => void;
type Entry = {
  key: string;
  /** When it was stored. */
  storedAt: Date;
  touch(): void;
};
type Getters<T> = { [K in keyof T as `get${Capitalize<K & string>}`]: () => T[K] };

// Three forms of one function.
export function parse(text: string): Entry;
export function parse(bytes: Uint8Array, encoding: string): Entry;
export function parse(input: string | Uint8Array, encoding = 'utf-8'): Entry {
  return decode(input as string);
}

function assertEntry(value: unknown): asserts value is Entry {}
declare function decode(text: string): Entry;

@Injectable({ scope: 'root' })
export class MemoryStore<V> implements Store<string, V> {
  @In() limit!: number;
  @In({ alias: 'ttl' })
  private static readonly ttl?: number = 60;
  declare brand: 'memory';
  #entries = new Map<string, V>();
  protected accessor hits = 0;
  onMiss = async (key: string): Promise<void> => {
    await this.load(key);
  };

  constructor(private readonly clock: Clock, public label = 'memory') {
    super();
  }

  get size(): number { return this.#entries.size; }

  get(key: string): V | undefined;
  get(key: string, fallback: V): V;
  /** Return what is stored under a key. */
  get(key: string, fallback?: V): V | undefined {
    return this.#entries.get(key) ?? fallback;
  }

  /**
   * Load a value from disk.
   *
   * @param key - the file's name
   */
  @Retry({ times: 3 })
  @Logged
  async load<T>(
    key: string,
    @Inject('options') options?: Options,
  ): Promise<T> {
    return JSON.parse(fs.readFileSync(key, 'utf-8')) as T;
  }

  override async *[Symbol.asyncIterator]() { yield* this.#entries.values(); }
}

export abstract class Cache {
  abstract max: number;
  abstract evict(key: string): void;
  protected abstract get ratio(): number;
}

export namespace Codecs.Text {
  export const DEFAULT = 'utf-8';
  export function encode(text: string): Uint8Array { return new TextEncoder().encode(text); }
  class Hidden { x = 1; y = 2 }
}

declare module 'legacy' {
  export function open(path: string): number;
  const flags: number;
  interface Handle { close(): void }
}

declare global {
  interface Window { store: MemoryStore<unknown> }
}

export const debounce = (
  run: () => void,
  wait: number,
): Listener<void> => {
  let timer: number;
  const fire = () => { run(); };
  return function debounced() { timer = setTimeout(fire, wait); };
};

const handlers = {
  save: async (store: Store<string>) => store.get('x'),
  remove(store: MemoryStore<string>) { store.load('y'); },
};

export const { load: loadOne, save } = createApi(handlers);

  export   default
class<T>   extends Cache{ max=1
  evict ( key :string ) {delete  cache [ key ]} }

describe('MemoryStore', () => {
  it('returns what was stored', () => { expect(new MemoryStore<string>(clock)).toBeDefined(); });
});
