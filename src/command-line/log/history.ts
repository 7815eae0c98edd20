import { type Change, diffDocuments, historyProjections, listChangedSecrets } from '../../../projections/history.ts'
import type { Recorded } from '../../domain/event.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { BEGINNING, type EventStore } from '../../event-store/event-store.ts'
import { decodeEvent } from '../../event-store/stored-event.ts'
import { cloudEvent } from '../../feed/cloud-event.ts'
import { openStoreBeside } from '../../service/open-store.ts'
import { type Command, DONE, makeProgress, refuse } from '../terminal/command.ts'

/** An event of a history, and what it changed. */
interface Told {
  readonly event: Recorded
  readonly position: number
  readonly changes: readonly Change[]
}

const SHOWN_EVERY = 4_096

const isOf = ({ data }: Recorded, id: string): boolean =>
  ('_id' in data && data._id === id) || ('sut_id' in data && data.sut_id === id)

/** Tells what changed from one event to the next, by folding the documents that the service answers. */
const makeFold = () => {
  const documents = new Map<string, object>()
  return (event: Recorded): readonly Change[] => [
    ...historyProjections.flatMap(({ name, key, evolve }) => {
      const id = key(event)
      if (id === undefined) return []
      const before = documents.get(`${name} ${id}`)
      const after = evolve(before, event)
      documents.set(`${name} ${id}`, after)
      return diffDocuments(before, after)
    }),
    ...listChangedSecrets(event),
  ]
}

/** The history of a SUT or a reservation, read from the beginning of the log, in its order. */
async function* historyOf(
  store: EventStore,
  id: string,
  onProgress: (events: number) => void,
): AsyncGenerator<Told, void, undefined> {
  const fold = makeFold()
  let position = -1
  for await (const page of store.records(BEGINNING)) {
    for (const { text, mark } of page) {
      position++
      if (position % SHOWN_EVERY === 0) onProgress(position)
      // Most events are of others: their text says so before it is read.
      if (!text.includes(id)) continue
      const event = decodeEvent(text, mark)
      if (isOf(event, id)) yield { event, position, changes: fold(event) }
    }
  }
}

const shownChange = (change: Change): string => {
  const name = change.path.slice(1)
  return 'changed' in change
    ? `${name} changed`
    : `${name}: ${JSON.stringify(change.from)} -> ${JSON.stringify(change.to)}`
}

/** Time, actor, type, what changed and why, with tabs between. */
const lineOf = ({ event, changes }: Told): string => {
  const { time, actor, role, reason } = event.metadata
  // What there was not before is told by its value alone.
  const all = changes
    .map(shownChange)
    .map((change) => change.replace(': null -> ', ': '))
    .join(', ')
  return [time, `${actor} (${role})`, event.type, all, ...(reason === undefined ? [] : [JSON.stringify(reason)])].join(
    '\t',
  )
}

export const historyCommand: Command = {
  name: 'history',
  operands: ['ID'],
  options: { json: { type: 'boolean' } },
  summary: 'tells what happened to a SUT or a reservation',
  example: 'history 6b013ba4f804b461b4439169',
  help: `
Prints the events of the SUT or the reservation with this id, oldest first, one a line with tabs between: time, actor,
event, what it changed from what to what, and the reason if one was given. The history of a SUT has those of its port
and its reservations too. Reads the log from its beginning, without the service or beside it.

With --json each line is the CloudEvent that GET /api/sut/<id>/history answers, with "changes".`,
  run: async ({ operands, options }, config, terminal) => {
    const id = operands[0] as string
    const unknown = (): number => refuse(terminal, `the log has no SUT or reservation ${JSON.stringify(id)}`)
    if (!isAssignedId(id)) return unknown()
    const store = await openStoreBeside(config)
    const progress = makeProgress(terminal)
    try {
      let isFound = false
      const events = terminal.isWatched ? (await store.head()) + 1 : 0
      for await (const told of historyOf(store, id, (done) => progress.show(done, Math.max(done, events)))) {
        const { event, position, changes } = told
        isFound = true
        progress.end()
        terminal.stdout(
          options.json
            ? `${JSON.stringify({ ...cloudEvent(event, position, config.origin), changes })}\n`
            : `${lineOf(told)}\n`,
        )
      }
      progress.end()
      return isFound ? DONE : unknown()
    } finally {
      await store.close()
    }
  },
}
