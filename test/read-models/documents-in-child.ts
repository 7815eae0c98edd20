import { text } from 'node:stream/consumers'
import { projections } from '../../projections/index.ts'
import type { Row } from '../../projections/projection.ts'
import type { Recorded } from '../../src/domain/event.ts'

// Started by documents.test.ts in other time zones and languages. Reads a log from stdin and writes every document to
// stdout, with a value that does depend on the machine's time zone and language.
const log = JSON.parse(await text(process.stdin)) as Recorded[]
const current = new Map<string, Row>()
const documents = log.flatMap((event) =>
  projections.flatMap((projection) => {
    const id = projection.key(event)
    if (id === undefined) return []
    const name = `${projection.name} ${id}`
    const row = projection.evolve(projection.begins(event) ? undefined : current.get(name), event)
    current.set(name, row)
    return [JSON.stringify(row)]
  }),
)
const time = new Date(log[0]?.metadata.time ?? 0)
process.stdout.write(
  JSON.stringify({ documents, ofThisMachine: `${time.getHours()}:${time.getMinutes()} ${(1234.5).toLocaleString()}` }),
)
