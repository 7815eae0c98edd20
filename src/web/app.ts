import type { ComponentType, VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { type PageContext, PageProvider, usePage } from './page/context.ts'
import { linkTo } from './page/location.ts'
import { html } from './parts/html.ts'
import { Icon, type IconName, Mark } from './parts/icon.ts'
import { initialsOf } from './parts/initials.ts'
import { Modal } from './parts/modal.ts'
import { StateBlock } from './parts/state.ts'
import { useStore } from './parts/store.ts'
import { texts } from './parts/texts.ts'
import { Account } from './screens/account.ts'
import { Schedule } from './screens/schedule/schedule.ts'
import { SignIn } from './screens/sign-in.ts'
import type { Me, Role } from './service/session.ts'
import { clockOf } from './timeline/times.ts'

interface Screen {
  readonly title: string
  readonly icon: IconName
  /** Who has it in the navigation. */
  readonly may: readonly Role[]
  readonly isInTabs: boolean
  readonly show: ComponentType<{ readonly id: string | undefined }>
}

const everyone: readonly Role[] = ['administrator', 'tester', 'auditor']

/** The screens, by the first part of their address. */
const SCREENS: Readonly<Record<string, Screen>> = {
  schedule: { title: texts.screens.schedule, icon: 'calendar', may: everyone, isInTabs: true, show: Schedule },
  account: { title: texts.screens.account, icon: 'user', may: everyone, isInTabs: false, show: Account },
}

const Tabs = ({ me, current }: { readonly me: Me; readonly current: string }): readonly VNode[] =>
  Object.entries(SCREENS)
    .filter(([, { may, isInTabs }]) => isInTabs && may.includes(me.role))
    .map(
      ([name, { title }]) =>
        html`<a href=${linkTo(name)} aria-current=${name === current ? 'page' : undefined}>${title}</a>`,
    )

/** Whether the service answers. */
const LiveState = (): VNode => {
  const { control } = usePage()
  const isAnswered = useStore(control.reach, (reach) => reach.isAnswered)
  return html`<span class=${isAnswered ? 'live' : 'live cut'} role="status"><i></i>${isAnswered ? texts.live : texts.notConnected}</span>`
}

const ThemeButton = (): VNode => {
  const { theme } = usePage()
  const value = useStore(theme)
  const label = texts.themes[value]
  return html`<button type="button" class="btn icon quiet theme" aria-label=${label} title=${label} onClick=${theme.next}>
    <${Icon} name=${value === 'light' ? 'sun' : 'moon'} />
  </button>`
}

const TopBar = ({ me, current }: { readonly me: Me; readonly current: string }): VNode => html`<header class="top">
  <a class="brand" href=${linkTo('schedule')}><${Mark} />Berth</a>
  <nav class="nav" aria-label="Main"><${Tabs} me=${me} current=${current} /></nav>
  <span class="grow"></span>
  <${LiveState} />
  <${ThemeButton} />
  <a class="btn quiet who" href=${linkTo('account')}><span class="avatar me" data-i=${initialsOf(me.name)} aria-hidden="true"></span><bdi>${me.name}</bdi></a>
  <a class="btn icon quiet phone-only" href=${linkTo('account')} aria-label=${texts.screens.account}>
    <span class="avatar me" data-i=${initialsOf(me.name)} aria-hidden="true"></span>
  </a>
</header>`

const TabBar = ({
  me,
  current,
}: {
  readonly me: Me
  readonly current: string
}): VNode => html`<nav class="tabbar" aria-label="Main, phone">
  ${Object.entries(SCREENS)
    .filter(([, { may }]) => may.includes(me.role))
    .map(
      ([name, { title, icon }]) =>
        html`<a href=${linkTo(name)} aria-current=${name === current ? 'page' : undefined}><${Icon} name=${icon} />${title}</a>`,
    )}
</nav>`

/** Milliseconds between tries while the service does not answer. */
const RETRY_EVERY = 10_000

const NotConnected = (): VNode | undefined => {
  const { control } = usePage()
  const { isAnswered, answeredAt } = useStore(control.reach)
  useEffect(() => {
    if (isAnswered) return undefined
    const timer = setInterval(() => void control.check(), RETRY_EVERY)
    return () => clearInterval(timer)
  }, [isAnswered])
  if (isAnswered) return undefined
  const since = `${clockOf(answeredAt)}:${String(new Date(answeredAt).getSeconds()).padStart(2, '0')}`
  return html`<div class="banner" role="alert">
    <${Icon} name="plug" />
    <span><b class="medium">Not connected since ${since}.</b> What you see is from then. Reserving is off until Berth answers.</span>
    <span class="grow"></span>
    <button type="button" class="btn small" onClick=${control.check}>Try now</button>
  </div>`
}

const Current = ({ me }: { readonly me: Me }): VNode => {
  const { place } = usePage()
  const { screen, id } = useStore(place)
  const found = SCREENS[screen]
  useEffect(() => {
    document.title = `${found?.title ?? texts.unknownScreen} · Berth`
  }, [found])
  const isAllowed = found?.may.includes(me.role)
  return html`<div class="app">
    <${TopBar} me=${me} current=${screen} />
    <${NotConnected} />
    ${
      found === undefined
        ? html`<main class="main"><${StateBlock} icon="search" title=${texts.unknownScreen}><a class="btn" href=${linkTo('schedule')}>${texts.screens.schedule}</a><//></main>`
        : isAllowed
          ? html`<${found.show} id=${id} />`
          : html`<main class="main"><${StateBlock} icon="lock" title=${texts.forbidden} /></main>`
    }
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
