/** What the service tells of changes, and how soon the page looks. No browser is needed here. */

/** An object that has changed, as `GET /api/changes` tells it. */
export interface Change {
  readonly sequence: string
  readonly kind: 'sut' | 'sut_reservation' | 'sut_request' | 'session' | 'user'
  readonly _id: string
  readonly sut_id: string | null
}

export interface News {
  /** The place in the log that an answer must have reached to show it. */
  readonly position: string
  /** One an object; undefined where anything may have changed. */
  readonly changes: readonly Change[] | undefined
}

export const isAfter = (position: string, reached: string): boolean =>
  position.padStart(20, '0') > reached.padStart(20, '0')

/** What a server-sent event says; undefined of comments, which say only that the service is there. */
const newsOf = (block: string): News | undefined => {
  const field = (name: string): string | undefined => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
  const [name, position] = [field('event'), field('id')]
  if (position === undefined) return undefined
  if (name === 'checkpoint') return { position, changes: [] }
  if (name === 'change') return { position, changes: [JSON.parse(field('data') ?? '') as Change] }
  return name === 'reload' ? { position, changes: undefined } : undefined
}

/** Characters of one event. The service sends far fewer. */
const LONGEST = 65_536

/** What each event of a stream says, as the service writes them: lines end with LF, and data has one line. */
export async function* newsIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<News | undefined, void, undefined> {
  const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      if (rest.length > LONGEST) return
      yield* blocks.map(newsOf)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Changes that are kept apart. With more of them, everything is read again. */
const MOST = 500

export const joined = (before: News | undefined, { position, changes }: News): News => {
  if (before === undefined) return { position, changes }
  if (before.changes === undefined || changes === undefined) return { position, changes: undefined }
  const byObject = new Map(before.changes.map((change) => [`${change.kind} ${change._id}`, change]))
  for (const change of changes) byObject.set(`${change.kind} ${change._id}`, change)
  return { position, changes: byObject.size > MOST ? undefined : [...byObject.values()] }
}

export interface Told {
  readonly news: News | undefined
  readonly since: string | undefined
  readonly position: string | undefined
}

/** What a tab learns from it that is at a position itself; undefined if nothing. */
export const heardFrom = (at: string | undefined, { news, since, position }: Told): News | undefined => {
  if (position === undefined || position === at) return undefined
  if (at === undefined || since === undefined || isAfter(since, position)) return { position, changes: undefined }
  if (isAfter(at, position)) return { position, changes: [] }
  return news === undefined || isAfter(since, at) ? { position, changes: undefined } : news
}

const DELIVERY_INTERVAL_MS = 700
/** Random delay, so that pages do not ask together; more where all of them read everything. */
const JITTER_MS = 200
const FULL_JITTER_MS = 1_000

/** `isSeen` tells whether anybody looks: otherwise news wait. */
export const gatherNews = (isSeen: () => boolean, handOn: (news: News) => void) => {
  let waiting: News | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let handedOnAt = Number.NEGATIVE_INFINITY
  const deliver = (): void => {
    if (waiting === undefined || timer !== undefined || !isSeen()) return
    const jitter = Math.random() * (waiting.changes === undefined ? FULL_JITTER_MS : JITTER_MS)
    timer = setTimeout(
      () => {
        timer = undefined
        const news = waiting
        if (news === undefined || !isSeen()) return
        waiting = undefined
        handedOnAt = Date.now()
        handOn(news)
      },
      Math.max(0, handedOnAt + DELIVERY_INTERVAL_MS - Date.now()) + jitter,
    )
  }
  return {
    deliver,
    add: (news: News): void => {
      waiting = joined(waiting, news)
      deliver()
    },
  }
}
