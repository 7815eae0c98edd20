import { readFile } from 'node:fs/promises'
import { shell } from './guide/shell.ts'

/** The page at /docs: Swagger UI, with all scripts and styles served from here. */

export const renderDocsPage = (files: string): string =>
  shell({
    title: 'Interface',
    files,
    styles: ['tokens.css', 'documents~docs.css'],
    script: 'documents~docs.ts',
    head: `<link rel="stylesheet" href="/docs/swagger-ui.css">\n<script src="/docs/swagger-ui-bundle.js" defer></script>\n`,
    content: '<main id="interface"></main>',
  })

/** Nothing from other origins, nothing inline, no eval, no framing. The images of Swagger UI's styles are data URLs. */
export const DOCS_PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
}

/** The served files of the package. */
export type PackageFile = 'swagger-ui.css' | 'swagger-ui-bundle.js'

export const readPackageFile = (file: PackageFile): Promise<string> =>
  readFile(new URL(import.meta.resolve(`swagger-ui-dist/${file}`)), 'utf8')
