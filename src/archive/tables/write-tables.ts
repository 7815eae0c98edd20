import { chmod, mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { SchemaElement } from 'hyparquet-writer'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { StoredRecord } from '../../event-store/event-store.ts'
import { decodeEvent } from '../../event-store/stored-event.ts'
import { syncDirectory } from '../../files/replace-file.ts'
import type { Bound, Exported } from '../export-log.ts'
import { type Fold, openFold } from './fold.ts'
import { type ColumnType, cellOf, TABLES, type TableName, USER_NAME } from './tables.ts'

/** Rows that are encoded together: some 10 MB. */
const GROUP = 20_000

const ELEMENTS: Readonly<Record<ColumnType, Partial<SchemaElement>>> = {
  STRING: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  JSON: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
  TIMESTAMP: {
    ...{ type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  ...{ INT32: { type: 'INT32' }, INT64: { type: 'INT64' }, BOOLEAN: { type: 'BOOLEAN' } },
}

interface TablesOptions {
  /** The name of the log. */
  readonly origin: string
  /** The tables are as of the events before this; undefined for all. */
  readonly to: Bound | undefined
  /** The directory to make. */
  readonly output: string
  /** Names of people by id; undefined to leave them out. */
  readonly names: ReadonlyMap<string, string> | undefined
  readonly onProgress: (done: number) => void
}

/** Folds the events of a log up to a bound. Counts them in `exported`. */
const foldAll = async (
  records: AsyncIterable<readonly StoredRecord[]>,
  into: Fold,
  { to, onProgress }: Pick<TablesOptions, 'to' | 'onProgress'>,
  exported: Exported,
): Promise<void> => {
  for await (const page of records) {
    for (const { text, storePosition } of page) {
      if (to !== undefined && 'position' in to && exported.events >= to.position) return
      const event = decodeEvent(text, storePosition)
      if (to !== undefined && 'time' in to && epochMillisecondsOf(event.metadata.time) >= to.time) return
      into.fold(event)
      exported.first = 0
      exported.last = exported.events++
    }
    onProgress(exported.events)
  }
}

/** Writes a table, one group of rows after the other. */
const writeTable = async (
  path: string,
  name: TableName,
  from: Fold,
  { names, origin }: TablesOptions,
  next: number,
) => {
  // Other exports do without it.
  const { fileWriter, ParquetWriter } = await import('hyparquet-writer')
  const { columns, rowsOf } = TABLES[name]
  const typed = columns
    .flatMap(([type, ...each]) => each.map((column) => ({ name: column, type })))
    .filter((column) => names !== undefined || column.name !== USER_NAME)
  const elements = typed.map((column) => ({ repetition_type: 'OPTIONAL', ...ELEMENTS[column.type], name: column.name }))
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: [{ name: 'root', num_children: elements.length }, ...(elements as SchemaElement[])],
    createdBy: 'Berth',
    kvMetadata: [
      { key: 'berth.origin', value: origin },
      { key: 'berth.next', value: String(next) },
    ],
  })
  let group: Readonly<Record<string, unknown>>[] = []
  const write = (): void => {
    const columnData = typed.map((column) => ({
      name: column.name,
      data: group.map((row) => cellOf(column.type, row[column.name])),
    }))
    if (group.length > 0) writer.write({ columnData, rowGroupSize: group.length })
    group = []
  }
  for (const folded of from.folded(name)) {
    group.push(...rowsOf(folded).map((row) => ({ ...row, id: row._id, [USER_NAME]: names?.get(String(row.user_id)) })))
    if (group.length >= GROUP) write()
  }
  write()
  writer.finish()
  await chmod(path, 0o600)
}

/**
 * Writes the tables of a log as Parquet files into a new directory, which appears when all are complete. Each has in its
 * metadata the name of the log, `berth.origin`, and the position of the first event that it does not show, `berth.next`.
 *
 * @param records as stored, from the first event on
 * @throws UndecodableEvent `stream@revision: /path: why`
 * @throws StoreUnavailable when the log cannot be read to its end
 * @throws NodeJS.ErrnoException when the files cannot be written
 */
export const writeTables = async (
  records: AsyncIterable<readonly StoredRecord[]>,
  options: TablesOptions,
  exported: Exported,
): Promise<void> => {
  const output = resolve(options.output)
  const directory = await mkdtemp(join(dirname(output), `.${basename(output)}-`))
  const fold = openFold()
  try {
    await foldAll(records, fold, options, exported)
    for (const name of Object.keys(TABLES) as TableName[])
      await writeTable(join(directory, `${name}.parquet`), name, fold, options, exported.events)
    await rename(directory, output)
    await syncDirectory(dirname(output))
  } catch (error) {
    await rm(directory, { recursive: true, force: true })
    throw error
  } finally {
    fold.close()
  }
}
