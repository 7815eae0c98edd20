import type { ComponentType, VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { isRunning } from './live/own.ts'
import { meOf, type PageContext, PageProvider, usePage } from './page/context.ts'
import { linkTo } from './page/location.ts'
import { nearest, titleOf } from './page/warning.ts'
import { html } from './parts/html.ts'
import { Icon, type IconName, Mark } from './parts/icon.ts'
import { initialsOf } from './parts/initials.ts'
import { Modal } from './parts/modal.ts'
import { StateBlock } from './parts/state.ts'
import { useStore } from './parts/store.ts'
import { texts } from './parts/texts.ts'
import { Account } from './screens/account.ts'
import { Mine } from './screens/mine/mine.ts'
import { Schedule } from './screens/schedule/schedule.ts'
import { Screen as MachineScreen } from './screens/screen/screen.ts'
import { SignIn } from './screens/sign-in.ts'
import type { Me, Role } from './service/session.ts'
import { clockOf, MINUTE } from './timeline/times.ts'

interface Screen {
  readonly title: string
  readonly icon: IconName
  /** Who has it in the navigation. */
  readonly may: readonly Role[]
  readonly isInTabs: boolean
  /** Whether phones have it behind "More". */
  readonly isInMore?: true
  /** Whether it takes the whole window. */
  readonly isBare?: true
  /** Shown beside the title. */
  readonly badge?: ComponentType
  readonly show: ComponentType<{ readonly id: string | undefined }>
}

/** How many of one's reservations run. */
const RunningCount = (): VNode | undefined => {
  const { own, clock } = usePage()
  const now = useStore(clock)
  const count = useStore(own.own, ({ reservations }) => reservations.filter((each) => isRunning(each, now)).length)
  return count === 0 ? undefined : html`<span class="count" aria-label=${`${count} running`}>${count}</span>`
}

const everyone: readonly Role[] = ['administrator', 'tester', 'auditor']

/** The screens, by the first part of their address. */
const SCREENS: Readonly<Record<string, Screen>> = {
  schedule: { title: texts.screens.schedule, icon: 'calendar', may: everyone, isInTabs: true, show: Schedule },
  mine: { title: texts.screens.mine, icon: 'clock', may: everyone, isInTabs: true, badge: RunningCount, show: Mine },
  screen: {
    title: texts.screens.screen,
    icon: 'screen',
    may: everyone,
    isInTabs: false,
    isBare: true,
    show: MachineScreen,
  },
  account: {
    title: texts.screens.account,
    icon: 'user',
    may: everyone,
    isInTabs: false,
    isInMore: true,
    show: Account,
  },
  more: { title: texts.screens.more, icon: 'more', may: everyone, isInTabs: false, show: () => html`<${More} />` },
}

const screensFor = ({ role }: Me) => Object.entries(SCREENS).filter(([, { may }]) => may.includes(role))

interface NavProps {
  readonly me: Me
  readonly current: string
}

const currentIf = (isCurrent: boolean): 'page' | undefined => (isCurrent ? 'page' : undefined)

const Badge = ({ of }: { readonly of: ComponentType | undefined }): VNode | undefined => of && html`<${of} />`

const Tabs = ({ me, current }: NavProps): readonly VNode[] =>
  screensFor(me)
    .filter(([, { isInTabs }]) => isInTabs)
    .map(
      ([name, { title, badge }]) =>
        html`<a key=${name} href=${linkTo(name)} aria-current=${currentIf(name === current)}>${title}${' '}<${Badge} of=${badge} /></a>`,
    )

/** On phones: what the tab bar has no room for. */
const More = (): VNode => html`<main class="main"><div class="page">
  <div class="page-head"><h1 class="grow">${texts.screens.more}</h1></div>
  <nav class="more-list" aria-label=${texts.screens.more}>
    ${screensFor(meOf(usePage()))
      .filter(([, { isInMore }]) => isInMore)
      .map(
        ([name, { title, icon }]) =>
          html`<a key=${name} class="list-row" href=${linkTo(name)}><${Icon} name=${icon} /><span>${title}</span></a>`,
      )}
    <a class="list-row" href="/guide"><${Icon} name="search" /><span>${texts.guide}</span></a>
    <a class="list-row" href="/docs"><${Icon} name="tag" /><span>${texts.docs}</span></a>
  </nav>
</div></main>`

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

const TabBar = ({ me, current }: NavProps): VNode => {
  const shown = screensFor(me).filter(([, { isInTabs, isInMore }]) => isInTabs && !isInMore)
  return html`<nav class="tabbar" aria-label="Main, phone">
    ${shown.map(
      ([name, { title, icon, badge }]) =>
        html`<a key=${name} href=${linkTo(name)} aria-current=${currentIf(name === current)}><${Icon} name=${icon} />${title}<${Badge} of=${badge} /></a>`,
    )}
    <a href=${linkTo('more')} aria-current=${currentIf(!shown.some(([name]) => name === current))}><${Icon} name="more" />${texts.screens.more}</a>
  </nav>`
}

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
  const found = SCREENS[screen]
  if (found === undefined)
    return html`<main class="main"><${StateBlock} icon="search" title=${texts.unknownScreen}><a class="btn" href=${linkTo('schedule')}>${texts.screens.schedule}</a><//></main>`
  return found.may.includes(me.role)
    ? html`<${found.show} id=${id} />`
    : html`<main class="main"><${StateBlock} icon="lock" title=${texts.forbidden} /></main>`
}

const Current = ({ me }: { readonly me: Me }): VNode => {
  const { screen, id } = useStore(usePage().place)
  useTitle(SCREENS[screen]?.title ?? texts.unknownScreen)
  const content = html`<${Content} screen=${screen} id=${id} me=${me} />`
  if (SCREENS[screen]?.isBare) return content
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
