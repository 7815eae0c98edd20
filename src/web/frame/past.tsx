import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { openCache } from '../data/cache.ts'
import type { News } from '../data/news.ts'
import { openReservations } from '../data/reservations.ts'
import { MINUTE } from '../format/format.ts'
import { type AsOf, pathAsOf } from '../page/as-of.ts'
import { type PageContext, PageProvider, usePage } from '../page/context.ts'
import { type Api, Refused } from '../service/api.ts'
import type { Session } from '../service/session.ts'

export const AsOfMoment = ({ children }: { readonly children: ComponentChildren }) => {
  const page = usePage()
  const moment = page.asOf.value
  const shown = useMemo(() => (moment === undefined ? page : pastPage(page, moment)), [moment])
  return (
    <PageProvider key={moment?.value ?? 'now'} value={shown}>
      {children}
    </PageProvider>
  )
}

const asAuditor = (session: ReadonlySignal<Session>): ReadonlySignal<Session> =>
  computed(() => ({ ...session.value, me: session.value.me && { ...session.value.me, role: 'auditor' } }))

const refuse = async () => ({ refused: new Refused(409, { code: 'past', detail: 'The past cannot be changed.' }) })

const readOnly = (api: Api, asOf: AsOf): Api => ({
  ...api,
  get: (path, sent) => api.get(pathAsOf(path, asOf) as typeof path, sent),
  ...{ post: refuse, send: refuse },
})

/** What screens use that show the lab as it was: the same, but of that moment, and unable to change anything. */
const pastPage = (page: PageContext, asOf: AsOf): PageContext => {
  const api = readOnly(page.api, asOf)
  return {
    ...page,
    api,
    control: { ...page.control, api, session: asAuditor(page.control.session) },
    cache: openCache({ api, news: signal<News | undefined>(undefined), isAnswered: page.control.isAnswered }),
    reservations: openReservations(computed(() => page.control.session.value.me?._id)),
    ...{ clock: signal(asOf.time), minute: signal(Math.floor(asOf.time / MINUTE) * MINUTE) },
  }
}
