import { useEffect } from 'preact/hooks'
import { EndSaid, Granted, NotConnected, PastBanner } from './frame/messages.tsx'
import { TabBar, TopBar } from './frame/navigation.tsx'
import { AsOfMoment } from './frame/past.tsx'
import { screenOf } from './frame/screens.ts'
import { type PageContext, PageProvider, usePage } from './page/context.ts'
import { later, type Screen } from './page/later.tsx'
import { linkTo } from './page/location.ts'
import { nearest, titleOf } from './page/warning.ts'
import { Button } from './parts/button.tsx'
import { Modal } from './parts/modal.tsx'
import { Page } from './parts/show/page.tsx'
import { StateBlock } from './parts/state.tsx'
import { More } from './screens/more/more.tsx'
import { Schedule } from './screens/schedule/schedule.tsx'
import { SignIn } from './screens/sign-in/sign-in.tsx'
import type { Me } from './service/session.ts'

const FIRST: Readonly<Record<string, Screen>> = { schedule: Schedule, more: More }
const [Others, prepareOthers] = later(async () => (await import('./screens/others.tsx')).others)

/** After the first screen, before the others are loaded, so that they open at once, and without the service. */
const PRELOAD_DELAY_MS = 2_000

const Content = ({ screen, id, me }: { readonly screen: string; readonly id: string | undefined; readonly me: Me }) => {
  const found = screenOf(screen)
  if (found === undefined)
    return (
      <main class="main">
        <StateBlock icon="search" title="Page not found">
          <Button label="Schedule" href={linkTo('schedule')} />
        </StateBlock>
      </main>
    )
  if (found.forbidden !== undefined && !found.may.includes(me.role))
    return (
      <Page title={found.heading ?? found.title}>
        <StateBlock icon="lock" {...found.forbidden}>
          <Button label="Open the schedule" href={linkTo('schedule')} />
        </StateBlock>
      </Page>
    )
  const show = (screens: typeof FIRST) => {
    const Shown = screens[screen]
    return Shown && <Shown id={id} />
  }
  const shown = show(FIRST) ?? <Others>{show}</Others>
  return found.isOfPast ? (
    <>
      <PastBanner />
      <AsOfMoment>{shown}</AsOfMoment>
    </>
  ) : (
    shown
  )
}

const Current = ({ me }: { readonly me: Me }) => {
  const page = usePage()
  const { screen, id } = page.place.value
  const found = screenOf(screen)
  const now = page.minute.value
  const near = nearest(page.reservations.own.value, now, page.warning.value)
  const title = `${titleOf(found?.title ?? 'Page not found', near, now)} · Berth`
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => {
    const timer = setTimeout(prepareOthers, PRELOAD_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  const content = <Content screen={screen} id={id} me={me} />
  if (found?.isBare) return content
  return (
    <div class="app">
      <TopBar me={me} current={screen} />
      <NotConnected />
      {content}
      <Granted />
      <EndSaid />
      <TabBar me={me} current={screen} />
    </div>
  )
}

export const App = ({ page }: { readonly page: PageContext }) => {
  const { phase, me, error } = page.control.session.value
  const { control } = page
  if (phase === 'checking') return undefined
  if (phase === 'unreachable' && me === undefined)
    return (
      <main class="main">
        <StateBlock icon="plug" title={error ?? 'Berth is not responding.'}>
          <Button icon="refresh" label="Try again" onClick={control.check} />
        </StateBlock>
      </main>
    )
  const isOut = me === undefined || phase === 'out'
  return (
    <PageProvider value={page}>
      {isOut ? <SignIn /> : <Current me={me} />}
      {phase === 'ended' && !isOut && (
        <Modal label="Sign in" className="gate-over">
          <SignIn />
        </Modal>
      )}
    </PageProvider>
  )
}
