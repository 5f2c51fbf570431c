// Plain records: documents that a service creates, gets, lists, changes and removes, on
// moleculer-db and its mongoose adapter. The harmful defaults of both are closed here:
// - The adapter connects mongoose's default connection, which all services of a process would
//   share, and its updates skip the schema's validators. Both are hidden: records use a model of
//   the service's own connection (database.ts), and `change` takes the place of the updates.
// - moleculer-db's actions take any query of a caller, its changes send an event to all nodes, and
//   its start tries to connect for ever. The mixin has none of them.
// The ledger, resumable documents, deliveries and searched lists stay on the driver, because they
// need batches, hints and compare-and-set of many documents, which moleculer-db does not offer.

import type { Service, ServiceBroker, ServiceSchema } from "moleculer";
import moleculerDb from "moleculer-db";
import MongooseAdapter from "moleculer-db-adapter-mongoose";
import mongoose, {
  type FilterQuery,
  type Model,
  type Query,
  type UpdateQuery,
  type UpdateWithAggregationPipeline,
} from "mongoose";
import { type ErrorType, fail, failFields, wrongField } from "../errors.ts";
import { isDuplicate } from "./database.ts";
import {
  type CursorMeta,
  isByCursor,
  type PageMeta,
  type Paging,
  pageAt,
  readPage,
} from "./paging.ts";

interface Find<T> {
  query: FilterQuery<T>;
  sort?: string;
  offset?: number;
  limit?: number;
}

interface AdapterPart<T> {
  model: Model<T>;
  service: DbMethods<T>;
  find(filters: Find<T>): Promise<T[]>;
  count(filters: Pick<Find<T>, "query">): Promise<number>;
  insert(record: T): Promise<T>;
  removeMany(query: FilterQuery<T>): Promise<number>;
  createCursor(filters: Find<T>): Query<T[], T>;
}

/** The part of moleculer-db's methods that is used; the context serves its own actions alone. */
interface DbMethods<T> {
  _create(context: null, record: T): Promise<T>;
  _list(context: null, list: Find<T> & { page: number; pageSize: number }): Promise<Listed<T>>;
}

interface Listed<T> {
  rows: T[];
  total: number;
}

const Adapter = MongooseAdapter as unknown as new <T>(uri: string) => AdapterPart<T>;

/**
 * The records of one collection. Reads see only majority-committed data; writes are majority writes
 * by the connection's own settings.
 *
 * Methods that write throw VALIDATION if the schema refuses a value. A lost connection stays the
 * driver's own error, because the write may have happened, and UNAVAILABLE would mean that it did
 * not.
 */
export class Records<T extends { _id: string }> extends Adapter<T> {
  readonly #duplicates: Record<string, ErrorType>;

  /** @param duplicates the error's type for each unique index, by one of the index's fields */
  constructor(model: Model<T>, duplicates: Record<string, ErrorType> = {}) {
    super("");
    this.model = model;
    this.#duplicates = duplicates;
  }

  /** Runs moleculer-db's methods, which the service has by withRecords, on this collection. */
  init(_broker: ServiceBroker, service: Service): void {
    // A service's own methods are bound to the service, which has several collections.
    const { methods } = service.schema;
    this.service = Object.assign(Object.create(service), methods, { adapter: this });
  }

  /**
   * Creates a record. One that an earlier run of the same request created stays as it is.
   * @returns the stored record with that id
   * @throws VALIDATION; for another duplicate, the error type given to the constructor
   */
  create(record: T): Promise<T> {
    return this.service._create(null, record);
  }

  findOne(query: FilterQuery<T>): Promise<T | null> {
    return this.model.findOne(query).readConcern("majority").lean<T>().exec();
  }

  findById(id: string): Promise<T | null> {
    return this.findOne({ _id: id });
  }

  findByIds(ids: string[]): Promise<T[]> {
    return this.find({ query: { _id: { $in: ids } } });
  }

  /**
   * A page by number or by cursor (`readPage`).
   * @param query has to be served by an index that ends in `_id`
   * @throws VALIDATION
   */
  async list(
    query: FilterQuery<T>,
    paging: Paging,
  ): Promise<{ documents: T[]; meta: PageMeta | CursorMeta }> {
    if (isByCursor(paging)) return readPage(this.model, query, paging);
    const { skip: offset, limit, meta } = pageAt(paging);
    const page = { offset, limit, page: meta(0).page, pageSize: limit };
    const { rows, total } = await this.service._list(null, { query, sort: "_id", ...page });
    return { documents: rows, meta: meta(total) };
  }

  /**
   * Changes the record that fulfils all conditions, in one step.
   * @param update operators, or a pipeline; the schema's validators cannot check a pipeline
   * @returns the record after the change; null if no record fulfils the conditions
   */
  change(
    conditions: FilterQuery<T>,
    update: UpdateQuery<T> | UpdateWithAggregationPipeline,
  ): Promise<T | null> {
    const options = { new: true, runValidators: !Array.isArray(update) };
    const changed = this.model.findOneAndUpdate(conditions, update, options).lean<T>().exec();
    return this.#translated(changed);
  }

  /** moleculer-db inserts by this. */
  override async insert(record: T): Promise<T> {
    const inserted = super.insert(record).then(
      () => record,
      async (error: unknown) => {
        const stored = isDuplicate(error) ? await this.findById(record._id) : null;
        if (stored) return stored;
        throw error;
      },
    );
    return this.#translated(inserted);
  }

  /** `find` and `count` read by this: plain objects that a majority has. */
  override createCursor(filters: Find<T>): Query<T[], T> {
    return super.createCursor(filters).readConcern("majority").lean<T[]>();
  }

  /** moleculer-db makes documents plain by this; these are plain already. */
  entityToObject(record: T): T {
    return record;
  }

  async #translated<R>(write: Promise<R>): Promise<R> {
    try {
      return await write;
    } catch (error) {
      const duplicate = Object.keys(this.#duplicates).find((field) => isDuplicate(error, field));
      if (duplicate) fail(this.#duplicates[duplicate] as ErrorType);
      if (!(error instanceof mongoose.Error.ValidationError)) throw error;
      // Without the values, which may be secrets.
      return failFields(Object.keys(error.errors).map((name) => wrongField(name, "must be valid")));
    }
  }
}

/** The mixin of a service with plain records: moleculer-db's methods, without its actions. */
export function withRecords(
  ...collections: Pick<Records<never>, "init">[]
): Partial<ServiceSchema> {
  const { settings, methods } = moleculerDb as unknown as Required<ServiceSchema>;
  return {
    settings,
    methods: {
      ...methods,
      // There is no cache, and moleculer-db's own would broadcast an event with each change.
      clearCache: () => Promise.resolve(),
    },
    created() {
      for (const records of collections) records.init(this.broker, this as Service);
    },
  };
}
