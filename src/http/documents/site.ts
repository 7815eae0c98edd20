import { once } from '../../concurrency/once.ts'
import { openThread } from '../../concurrency/thread.ts'
import type { FixedBody } from '../protocol/route.ts'
import type { Site } from './guide/guide.ts'
import { version } from './version.ts'

/** A file as browsers get it. */
export interface WebFile extends FixedBody {
  readonly mediaType: string
}

/** The files of the page and the client. Those of the page are under one address that changes with any of them. */
export interface WebFiles {
  /** Of all files, in base64url. */
  readonly digest: string
  /** By name. */
  readonly files: ReadonlyMap<string, WebFile>
  /** The page itself. */
  readonly page: string
  /** The client for computers without Berth, as one file. */
  readonly client: string
}

/** Texts and pictures, by their address. */
export type Documents = ReadonlyMap<string, string | Uint8Array>

export interface SiteThread {
  readonly webFiles: () => WebFiles
  readonly documents: (site: Site) => Promise<Documents>
}

/**
 * A thread for one call. On the main thread stripping types and compressing would take too long, and V8 would compile
 * the regular expressions of Markdown for up to 50 ms.
 */
const openSiteThread = () =>
  openThread<SiteThread>({
    module: new URL('../site-thread.ts', import.meta.url),
    start: { execArgv: ['--no-warnings'] },
    callsMax: 1,
  })

/** The files of the page, built at the first call. */
export const readWebFiles = once(() => {
  const thread = openSiteThread()
  return thread.call('webFiles', []).finally(thread.close)
})

/** All documents, made at the first call. */
export const readDocuments = once(async () => {
  const { digest, client } = await readWebFiles()
  const thread = openSiteThread()
  return thread.call('documents', [{ files: `/web/${digest}/`, client, version: version() }]).finally(thread.close)
})
