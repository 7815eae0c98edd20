import { useComputed } from '@preact/signals'
import { isRunning } from '../data/reservations.ts'
import { usePage } from '../page/context.ts'
import { linkTo } from '../page/location.ts'
import { NEXT } from '../page/theme.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Icon, Mark } from '../parts/icon.tsx'
import { initialsOf } from '../parts/initials.ts'
import { Status } from '../parts/show/note.tsx'
import type { Me } from '../service/session.ts'
import { Find } from './find.tsx'
import { screenOf, screensFor } from './screens.ts'

interface NavProps {
  readonly me: Me
  readonly current: string
}

const currentIf = (isCurrent: boolean): 'page' | undefined => (isCurrent ? 'page' : undefined)

const RunningCount = () => {
  const { reservations, clock } = usePage()
  const now = clock.value
  const count = reservations.own.value.filter((each) => isRunning(each, now)).length
  return count === 0 ? undefined : (
    <span class="count">
      {count}
      <span class="vh"> running</span>
    </span>
  )
}

const Count = ({ of }: { readonly of: string }) => (of === 'mine' ? <RunningCount /> : undefined)

const Tabs = ({ me, current }: NavProps) =>
  screensFor(me)
    .filter(({ isInTabs }) => isInTabs)
    .map(({ name, title }) => (
      <a key={name} href={linkTo(name)} aria-current={currentIf(name === current)}>
        {title} <Count of={name} />
      </a>
    ))

/** Without a sign of the service, which sends one every 15 s; the page then says so. */
const SILENCE_MAX_MS = 20_000

const LiveState = ({ current }: { readonly current: string }) => {
  const { control, clock, heardAt, asOf } = usePage()
  const isPast = asOf.value !== undefined && screenOf(current)?.isOfPast === true
  const isAnswered = control.isAnswered.value
  const behind = useComputed(() => {
    const silence = clock.value - heardAt.value
    return silence > SILENCE_MAX_MS ? Math.floor(silence / 1_000) : 0
  }).value
  const [look, text] = !isAnswered
    ? ['cut', 'Not connected']
    : isPast
      ? ['past', 'Past']
      : behind > 0
        ? ['behind', `${behind} s behind`]
        : ['', 'Live']
  return (
    <Status class={`live ${look}`}>
      <i />
      {text}
    </Status>
  )
}

const ThemeButton = () => {
  const { theme } = usePage()
  const value = theme.value
  const label = `Theme: ${value === 'system' ? 'match system' : value}`
  return (
    <IconButton
      icon={value === 'light' ? 'sun' : 'moon'}
      label={label}
      look="quiet"
      class="theme"
      onClick={() => {
        theme.value = NEXT[value]
      }}
    />
  )
}

/** The screens that are buttons. Phones have them among their tabs. */
const Actions = ({ me, current }: NavProps) =>
  screensFor(me)
    .filter(({ isButton }) => isButton)
    .map(({ name, title, icon }) => (
      <Button
        label={title}
        icon={icon}
        look="tint"
        class="desk-only"
        key={name}
        href={linkTo(name)}
        aria-current={currentIf(name === current)}
      />
    ))

const Who = ({ me }: { readonly me: Me }) => (
  <>
    <Button look="quiet" class="who desk-only" href={linkTo('account')}>
      <span class="avatar me" data-i={initialsOf(me.name)} aria-hidden="true" />
      <bdi>{me.name}</bdi>
    </Button>
    <a class="btn icon quiet phone-only" href={linkTo('account')}>
      <span class="avatar me" data-i={initialsOf(me.name)} aria-hidden="true" />
      <span class="vh">Account</span>
    </a>
  </>
)

/** The bar over every page. Without a screen it is that of the guide, where nothing is followed. */
export const TopBar = ({ me, current }: { readonly me: Me | undefined; readonly current?: string }) => (
  <header class="row top">
    <a class="brand" href={current ? linkTo('schedule') : '/'}>
      <Mark />
      Berth
    </a>
    <nav class="nav desk-only" aria-label="Main">
      {me && <Tabs me={me} current={current ?? ''} />}
    </nav>
    <span class="grow" />
    {current && <LiveState current={current} />}
    {current && me && <Find me={me} />}
    <ThemeButton />
    {me ? <Who me={me} /> : <Button label="Sign in" href="/" />}
    {current && me && <Actions me={me} current={current} />}
  </header>
)

export const TabBar = ({ me, current }: NavProps) => {
  const shown = screensFor(me).filter(({ isInTabs, isButton, isInMore }) => isButton || (isInTabs && !isInMore))
  return (
    <nav class="tabbar phone-only" aria-label="Main, phone">
      {shown.map(({ name, title, icon }) => (
        <a key={name} href={linkTo(name)} aria-current={currentIf(name === current)}>
          <Icon name={icon} />
          {title}
          <Count of={name} />
        </a>
      ))}
      <a href={linkTo('more')} aria-current={currentIf(!shown.some(({ name }) => name === current))}>
        <Icon name="more" />
        More
      </a>
    </nav>
  )
}
