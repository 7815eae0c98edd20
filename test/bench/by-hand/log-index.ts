import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projections } from '../../../projections/index.ts'
import { toPublicPosition, toStorePosition } from '../../../src/domain/values/position.ts'
import { beforeTheFirst } from '../../../src/read-models/file/progress.ts'
import { openViewsFile } from '../../../src/read-models/file/views-file.ts'
import { makePending } from '../../../src/read-models/projector/pending.ts'
import type { Row } from '../../../src/read-models/tables/version.ts'
import { logged } from '../../event-store/new-events.ts'
import { manyEvents } from '../../read-models/lists/many-reservations.ts'
import { spread } from '../measure/processes.ts'

/**
 * The cost of the log index (event positions and tree) in addition to the documents: the same rows written with and
 * without it, alternating, in microseconds per event.
 */

const { values } = parseArgs({
  options: { events: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '7' } },
})
const CHUNK = 2_048

const rowsOf = (): readonly Row[] => {
  const pending = makePending(projections, openViewsFile(':memory:', projections))
  let position = 0
  for (const event of manyEvents({ reservations: Number(values.events), suts: 500, users: 200 })) {
    pending.fold(logged(event), toPublicPosition(position++))
  }
  return pending.takeUnstaged()
}

/** The time to write rows in chunks, as the service does, in microseconds. */
const write = (directory: string, rows: readonly Row[]): number => {
  const file = openViewsFile(join(directory, `${performance.now()}.db`), projections)
  const began = performance.now()
  for (let from = 0; from < rows.length; from += CHUNK) {
    file.stage(rows.slice(from, from + CHUNK))
    file.commit([], {
      ...beforeTheFirst('f'.repeat(24)),
      position: toPublicPosition(from),
      storePosition: toStorePosition(from),
    })
  }
  const took = (performance.now() - began) * 1_000
  file.close()
  return took
}

const directory = mkdtempSync(join(tmpdir(), 'berth-bench-'))
try {
  const rows = rowsOf()
  const documents = rows.filter(({ logRow }) => logRow === undefined)
  const events = rows.length - documents.length
  const taken: { whole: number; documents: number }[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    const first = round % 2 === 0 ? write(directory, documents) : undefined
    const whole = write(directory, rows)
    taken.push({ whole: whole / events, documents: (first ?? write(directory, documents)) / events })
  }
  process.stdout.write(`${values.rounds} rounds of ${events} events, microseconds an event\n`)
  process.stdout.write(`documents alone         ${spread(taken.map((one) => one.documents))}\n`)
  process.stdout.write(`with places and tree    ${spread(taken.map(({ whole }) => whole))}\n`)
  process.stdout.write(`the difference          ${spread(taken.map((one) => one.whole - one.documents))}\n`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
