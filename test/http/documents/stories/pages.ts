import type { Example } from '../../../../src/http/documents/openapi/examples.ts'
import { openStream } from '../../../feed/readers.ts'
import type { Running } from '../../harness.ts'
import { PAGE_SCRIPT } from '../../page-script.ts'
import { addressOf } from './story.ts'

/** Examples of pages, texts and whole documents show only the beginning. */

const LINES_MAX = 4
/** Few enough that most changes of a chapter do not affect them. */
const CONTENT_LINES = 2
const CHARACTERS_MAX = 300

/** The beginning of a text. For a page, of its content without the head. */
const excerpt = (text: string): string => {
  const from = Math.max(0, text.search(/<main|<div id="page"/))
  const lines = text.slice(from).trimEnd().split('\n')
  const shown = lines
    .slice(0, from > 0 ? CONTENT_LINES : LINES_MAX)
    .join('\n')
    .slice(0, CHARACTERS_MAX)
  return `${from > 0 ? '…\n' : ''}${shown}\n${shown === text.trimEnd() ? '' : '…'}`
}

/** The metrics that are the same in every run. */
const steadyMetrics = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /berth_alarm/.test(line))
    .slice(0, LINES_MAX)
    .join('\n')

/** The members that identify a document. */
const opening = (document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    ['openapi', 'asyncapi', 'info'].flatMap((name) => (name in document ? [[name, document[name]]] : [])),
  )

const TEXTS: readonly (readonly [operation: string, name: string, at?: string])[] = [
  ['GET /docs', 'The content of the page'],
  ['GET /docs/swagger-ui.css', 'The beginning of the style sheet'],
  ['GET /docs/swagger-ui-bundle.js', 'The beginning of the script'],
  ['GET /', 'The content of the page'],
  ['GET /login/callback', 'The content of the page'],
  ['GET /guide', 'How the page begins'],
  ['GET /guide/:chapter', 'The beginning of a chapter', 'reservations'],
  ['GET /guide/tour.svg', 'The beginning of the picture'],
  ['GET /client/berth.mjs', 'The beginning of the file'],
  ['GET /problems/:code', 'The beginning of a page', 'stale'],
]

/** The beginning of a stream, without what changes with the page. */
const tellChanges = async (service: Running, examples: Example[]): Promise<void> => {
  const [operation, name] = ['GET /api/changes', 'The beginning of a stream']
  const stream = await openStream(service.port, '?after=00000000000000000006', { path: '/api/changes' })
  await stream.until(({ messages }) => messages.length > 2)
  stream.close()
  const body = stream
    .text()
    .split('\n\n')
    .slice(1, 4)
    .join('\n\n')
    .replace(/"digest":"[^"]+"/, '"digest":"…"')
  examples.push({ operation, name, mediaType: String(stream.headers['content-type']), body })
}

export const tellPages = async (service: Running, examples: Example[]): Promise<void> => {
  const audrey = service.as('audrey')
  for (const [operation, name, at = ''] of TEXTS) {
    const { headers, text } = await audrey.get(addressOf(operation, { at }))
    examples.push({ operation, name, mediaType: String(headers['content-type']), body: excerpt(text) })
  }
  const { headers, text } = await audrey.get(PAGE_SCRIPT)
  const ofScript = { operation: 'GET /web/:digest/:name', name: 'The beginning of the first script' }
  examples.push({ ...ofScript, mediaType: String(headers['content-type']), body: excerpt(text) })
  for (const [operation, name, show] of [
    ['GET /api/audit/checkpoint', 'A signed checkpoint', (text: string) => text],
    ['GET /api/audit/key', 'The key that signs now', (text: string) => text],
    ['GET /metrics', 'Some of the metrics', steadyMetrics],
  ] as const) {
    const { headers, text } = await audrey.get(addressOf(operation))
    examples.push({ operation, name, mediaType: String(headers['content-type']), body: show(text) })
  }
  const picture = 'GET /guide/schedule.png'
  const png = await audrey.get(addressOf(picture))
  const format = png.text.slice(1, 4)
  examples.push({ operation: picture, name: 'Its format', mediaType: 'image/png', body: `…${format}…` })
  const search = 'GET /guide/search.json'
  const { sections } = (await audrey.get(addressOf(search))).json
  const [first] = sections as readonly unknown[]
  examples.push({
    operation: search,
    name: 'The first section',
    mediaType: 'application/json',
    body: { sections: [first] },
  })
  for (const operation of ['GET /openapi.json', 'GET /asyncapi.json']) {
    const { json } = await audrey.get(addressOf(operation))
    examples.push({ operation, name: 'Its first members', mediaType: 'application/json', body: opening(json) })
  }
  await tellChanges(service, examples)
  const operation = 'GET /schemas/:file'
  const { json } = await audrey.get(addressOf(operation, { at: 'ReservationCancelled.1.json' }))
  examples.push({ operation, name: 'The data of ReservationCancelled', mediaType: 'application/json', body: json })
}
