import { readFile } from 'node:fs/promises'

/** The page at /docs: Swagger UI, with every script and style from here. */

export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
<div id="page"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</html>
`

/**
 * `validatorUrl` would send the document's address to somebody else. A browser that was given name and password in the
 * address fetches nothing from an address that leans on that one.
 */
export const PAGE_SCRIPT = `SwaggerUIBundle({
  url: new URL('openapi.json', location.origin + location.pathname).href,
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

/**
 * Nothing from elsewhere, nothing inline, nothing evaluated, no frame around it. The styles of Swagger UI hold their
 * pictures in themselves.
 */
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

/** The files of the package that are served, and no others. */
export type PackageFile = 'swagger-ui.css' | 'swagger-ui-bundle.js'

export const readPackageFile = (file: PackageFile): Promise<string> =>
  readFile(new URL(import.meta.resolve(`swagger-ui-dist/${file}`)), 'utf8')
