import { readFile } from 'node:fs/promises'

/** The page at /docs: Swagger UI, with all scripts and styles served from here. */

export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</html>
`

/**
 * `validatorUrl` would send the document's address to a third party. A browser given credentials in the page's address
 * cannot fetch relative addresses, so the address is made without them. Requests omit what the browser may know, so that
 * it opens no dialog for a 401: people sign in with Swagger UI's own button.
 */
export const PAGE_SCRIPT = `SwaggerUIBundle({
  url: location.origin + '/openapi.json',
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
  dom_id: '#page',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  validatorUrl: null,
  queryConfigEnabled: false,
  persistAuthorization: false,
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
})
`

export const PAGE_STYLE = `body { margin: 0; }
`

/** Nothing from other origins, nothing inline, no eval, no framing. The images of Swagger UI's styles are data URLs. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
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
