import type { ComponentType, VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { TabBar, TopBar } from './frame/navigation.ts'
import { NotConnected } from './frame/not-connected.ts'
import { AsOfMoment, PastBanner } from './frame/past.ts'
import { screenOf } from './frame/screens.ts'
import { type PageContext, PageProvider, usePage } from './page/context.ts'
import { linkTo } from './page/location.ts'
import { nearest, titleOf } from './page/warning.ts'
import { html } from './parts/html.ts'
import { Icon } from './parts/icon.ts'
import { Modal } from './parts/modal.ts'
import { StateBlock } from './parts/state.ts'
import { useStore } from './parts/store.ts'
import { texts } from './parts/texts.ts'
import { Account } from './screens/account/account.ts'
import { Activity } from './screens/activity/activity.ts'
import { Machines } from './screens/machines/machines.ts'
import { Mine } from './screens/mine/mine.ts'
import { More } from './screens/more.ts'
import { People } from './screens/people/people.ts'
import { Schedule } from './screens/schedule/schedule.ts'
import { Screen } from './screens/screen/screen.ts'
import { SignIn } from './screens/sign-in.ts'
import type { Me } from './service/session.ts'
import { MINUTE } from './timeline/times.ts'

/** What each screen shows. */
const SHOWN: Readonly<Record<string, ComponentType<{ readonly id: string | undefined }>>> = {
  schedule: Schedule,
  mine: Mine,
  machines: Machines,
  screen: Screen,
  activity: Activity,
  people: People,
  account: Account,
  more: More,
}

/** What the tab is called: the screen, or what ends soon. */
const useTitle = (title: string): void => {
  const page = usePage()
  const now = useStore(page.clock, (time) => Math.floor(time / MINUTE) * MINUTE)
  const own = useStore(page.own.own)
  const warning = useStore(page.warning)
  const text = `${titleOf(title, nearest(own, now, warning), now)} · Berth`
  useEffect(() => {
    document.title = text
  }, [text])
}

const Content = ({
  screen,
  id,
  me,
}: {
  readonly screen: string
  readonly id: string | undefined
  readonly me: Me
}): VNode => {
  const found = screenOf(screen)
  if (found === undefined)
    return html`<main class="main"><${StateBlock} icon="search" title=${texts.unknownScreen}><a class="btn" href=${linkTo('schedule')}>${texts.screens.schedule}</a><//></main>`
  if (!found.may.includes(me.role))
    return html`<main class="main"><${StateBlock} icon="lock" title=${texts.forbidden} /></main>`
  const shown = html`<${SHOWN[screen]} id=${id} />`
  return found.isOfPast ? html`<${PastBanner} /><${AsOfMoment}>${shown}<//>` : shown
}

const Current = ({ me }: { readonly me: Me }): VNode => {
  const { screen, id } = useStore(usePage().place)
  useTitle(screenOf(screen)?.title ?? texts.unknownScreen)
  const content = html`<${Content} screen=${screen} id=${id} me=${me} />`
  if (screenOf(screen)?.isBare) return content
  return html`<div class="app">
    <${TopBar} me=${me} current=${screen} />
    <${NotConnected} />
    ${content}
    <${TabBar} me=${me} current=${screen} />
  </div>`
}

/** The page: what is shown depends on who is signed in. */
export const App = ({ page }: { readonly page: PageContext }): VNode | undefined => {
  const { phase, me, error } = useStore(page.control.session)
  const { control } = page
  if (phase === 'checking') return undefined
  if (phase === 'unreachable' && me === undefined)
    return html`<main class="main"><${StateBlock} icon="plug" title=${error ?? texts.noAnswer}>
      <button type="button" class="btn" onClick=${control.check}><${Icon} name="refresh" />${texts.tryAgain}</button>
    <//></main>`
  if (me === undefined || phase === 'out') return html`<${SignIn} control=${control} />`
  return html`<${PageProvider} value=${page}>
    <${Current} me=${me} />
    ${phase === 'ended' && html`<${Modal} label=${texts.signIn} className="gate-over"><${SignIn} control=${control} /><//>`}
  <//>`
}
