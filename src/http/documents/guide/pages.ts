import { hash } from 'node:crypto'
import { openThread } from '../../../concurrency/thread.ts'
import { readWebFiles } from '../web/web-files.ts'

type Pages = ReadonlyMap<string, string>

export interface PagesThread {
  /**
   * @param files the address of the page's files
   * @param clientSha256 of the client that this service hands out
   */
  readonly render: (files: string, clientSha256: string) => Promise<Pages>
}

/**
 * Renders the guide in a worker thread. On the main thread V8 would compile the regular expressions of Markdown for up
 * to 50 ms, one of them for 40 ms, which no splitting of the text shortens.
 */
const renderPages = async (): Promise<Pages> => {
  const { digest, client } = await readWebFiles()
  const thread = openThread<PagesThread>({ module: new URL('./pages-worker.ts', import.meta.url), callsMax: 1 })
  return thread.call('render', [`/web/${digest}/`, hash('sha256', client)]).finally(thread.close)
}

/** The name of what the search reads. */
export const SEARCH_INDEX = 'search.json'

/** The name of the page about an error code. */
export const problemPageName = (code: string): string => `problems/${code}`

let pages: Promise<Pages> | undefined

/** A page of the guide by its name. The first call renders all of them; a failure is forgotten. */
export const readPage = async (name: string): Promise<string> => {
  pages ??= renderPages().catch((error: unknown) => {
    pages = undefined
    throw error
  })
  const page = (await pages).get(name)
  if (page === undefined) throw new Error(`the guide has no page ${name}`)
  return page
}
