import { text } from 'node:stream/consumers'
import { projections } from '../../projections/index.ts'
import type { Recorded } from '../../src/domain/event.ts'

// What documents.test.ts starts in other time zones and languages: a log on stdin, every document that it folds to on
// stdout, and beside them what one that asked the machine for its zone or language would have shown.
const log = JSON.parse(await text(process.stdin)) as Recorded[]
const standing = new Map<string, object>()
const documents = log.flatMap((event) =>
  projections.flatMap((projection) => {
    const id = projection.key(event)
    if (id === undefined) return []
    const name = `${projection.name} ${id}`
    const document = projection.evolve(projection.begins(event) ? undefined : standing.get(name), event)
    standing.set(name, document)
    return [JSON.stringify(document)]
  }),
)
const time = new Date(log[0]?.metadata.time ?? 0)
process.stdout.write(
  JSON.stringify({ documents, ofThisMachine: `${time.getHours()}:${time.getMinutes()} ${(1234.5).toLocaleString()}` }),
)
