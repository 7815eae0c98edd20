import { get, type Route } from '../protocol/route.ts'
import type { Documents } from './documents.ts'

const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const SVG = 'image/svg+xml'

const roles = 'anyone'

/** What the service says of itself: documents for programs, and pages for people. None contains a secret. */
export const documentRoutes = (documents: Documents): readonly Route[] => [
  get({ path: '/openapi.json', roles, handle: documents.openApi }),
  get({ path: '/asyncapi.json', roles, handle: documents.asyncApi }),
  get({ path: '/schemas/', roles, handle: documents.schemaIndex }),
  get({ path: '/schemas/:file', roles, handle: documents.schema }),
  // A route for every file: there is no path that could lead elsewhere.
  get({ path: '/docs', alias: '/docs/', roles, mediaType: HTML, handle: documents.page }),
  get({ path: '/docs/swagger-ui.css', roles, mediaType: CSS, handle: documents.uiStyle }),
  get({ path: '/docs/swagger-ui-bundle.js', roles, mediaType: SCRIPT, handle: documents.uiScript }),

  get({ path: '/guide', alias: '/guide/', roles, mediaType: HTML, handle: documents.guide }),
  get({ path: '/guide/search.json', roles, handle: documents.guideSearch }),
  get({ path: '/guide/tour.svg', roles, mediaType: SVG, handle: documents.guideTour }),
  get({ path: '/guide/schedule.png', roles, mediaType: 'image/png', handle: documents.guideSchedule }),
  get({ path: '/guide/:chapter', roles, mediaType: HTML, handle: documents.guideChapter }),
  get({ path: '/client/berth.mjs', roles, mediaType: SCRIPT, handle: documents.client }),
  get({ path: '/problems/:code', roles, mediaType: HTML, handle: documents.problem }),
]
