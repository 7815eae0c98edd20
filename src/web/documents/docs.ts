/** Brings the page of the interface to life: Swagger UI, which sends the session of the page. */

import { effect } from '@preact/signals'
import { openTop } from './top.tsx'

interface SwaggerRequest {
  readonly url: string
  readonly headers: Record<string, string>
  credentials?: string
}

declare const SwaggerUIBundle: {
  (options: object): unknown
  readonly presets: { readonly apis: unknown }
}

const { control, theme } = openTop()

const dark = matchMedia('(prefers-color-scheme: dark)')
const showTheme = (): void => {
  const chosen = theme.value
  document.documentElement.classList.toggle('dark-mode', chosen === 'system' ? dark.matches : chosen === 'dark')
}
effect(showTheme)
dark.addEventListener('change', showTheme)

/**
 * Requests omit what the browser may know, so that it opens no dialog for a 401. They carry the session of the page
 * unless one has signed in here otherwise, and never to another host.
 */
const requestInterceptor = (request: SwaggerRequest): SwaggerRequest => {
  const isHere = new URL(request.url, location.href).origin === location.origin
  const session = control.credential()
  const isSignedIn = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization')
  if (isHere && session !== undefined && !isSignedIn) request.headers.Authorization = `Bearer ${session}`
  request.credentials = 'omit'
  return request
}

// A browser given credentials in the page's address cannot fetch relative addresses, so it is made without them.
// `validatorUrl` would send the document's address to a third party.
SwaggerUIBundle({
  url: `${location.origin}/openapi.json`,
  requestInterceptor,
  dom_id: '#interface',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  validatorUrl: null,
  queryConfigEnabled: false,
  persistAuthorization: false,
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
})
