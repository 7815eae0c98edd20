/** A server-sent event. Comments have neither name nor data. */
export interface StreamEvent {
  readonly name: string | undefined
  readonly id: string | undefined
  readonly data: string | undefined
}

const parse = (block: string): StreamEvent => {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
    if (name !== '') fields.set(name, value)
  }
  return { name: fields.get('event'), id: fields.get('id'), data: fields.get('data') }
}

/** Characters of one event. The service sends far fewer. */
const LONGEST = 65_536

/** The events of a stream as the service writes them: lines end with LF, and data has one line. */
export async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      if (rest.length > LONGEST) return
      yield* blocks.map(parse)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
