import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import * as E from 'fp-ts/lib/Either.js'
import { withSchema } from '../../domain/codec/json-schema.ts'
import { type DecodeQuery, get, getWithQuery, type Route } from '../protocol/route.ts'
import { PAGE_HEADERS } from './docs-page.ts'
import { serveText } from './served-text.ts'

/** The page for people at `/`. Its files are in src/web. */

const read = (file: string): Promise<string> => readFile(new URL(`../../web/${file}`, import.meta.url), 'utf8')

/** The script learns from an attribute whether there is single sign-on. */
const readPage = async (hasSingleSignOn: boolean): Promise<string> => {
  const page = await read('index.html')
  return hasSingleSignOn ? page.replace('<html lang="en">', '<html lang="en" data-single-sign-on>') : page
}

/** Strips types. This function of Node is experimental, which it would say on standard error. */
const readScript = async (): Promise<string> => {
  const source = await read('page.ts')
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

/** What a provider of single sign-on adds to the address. The script reads it. */
const ofProvider: DecodeQuery<undefined> = withSchema(
  () => E.right(undefined),
  () => ({ type: 'object', properties: { code: { type: 'string' }, state: { type: 'string' } } }),
)

export const webRoutes = (hasSingleSignOn: boolean): readonly Route[] => {
  const page = {
    may: 'anyone',
    mediaType: 'text/html; charset=utf-8',
    handle: serveText(() => readPage(hasSingleSignOn), PAGE_HEADERS),
  } as const
  return [
    get({ path: '/', ...page }),
    getWithQuery({ path: '/login/callback', query: ofProvider, ...page }),
    get({
      path: '/web/page.js',
      may: 'anyone',
      mediaType: 'text/javascript; charset=utf-8',
      handle: serveText(readScript),
    }),
    get({
      path: '/web/page.css',
      may: 'anyone',
      mediaType: 'text/css; charset=utf-8',
      handle: serveText(() => read('page.css')),
    }),
  ]
}
