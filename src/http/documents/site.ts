import { once } from '../../concurrency/once.ts'
import { openThread, type Thread } from '../../concurrency/thread.ts'
import type { Site } from './guide/guide.ts'
import { version } from './version.ts'

/** Texts and pictures, by their address. */
export type Documents = ReadonlyMap<string, string | Uint8Array>

/** The page for people, and what depends on its files. They are under one address that changes with any of them. */
export interface Page {
  /** Of all files, in base64url. */
  readonly digest: string
  /** The page and its files. */
  readonly documents: Documents
  /** The client for computers without Berth, as one file. */
  readonly client: string
}

export interface SiteThread {
  readonly page: () => Page
  readonly documents: (site: Site) => Promise<Documents>
}

/**
 * Asks a thread for one call. On the main thread stripping types would take too long, and V8 would compile the regular
 * expressions of Markdown for up to 50 ms.
 */
const ask: Thread<SiteThread>['call'] = (name, args) => {
  const module = new URL('../site-thread.ts', import.meta.url)
  const thread = openThread<SiteThread>({ module, start: { execArgv: ['--no-warnings'] }, callsMax: 1 })
  return thread.call(name, args).finally(thread.close)
}

/** The page, built at the first call. */
export const readPage = once(() => ask('page', []))

/** All other documents, made at the first call. */
export const readDocuments = once(async () => {
  const { digest, client } = await readPage()
  return ask('documents', [{ files: `/web/${digest}/`, client, version: version() }])
})
