import type { IconName } from '../parts/icon.tsx'
import { texts } from '../parts/texts.ts'
import type { Me, Role } from '../service/session.ts'

export interface Screen {
  /** The first part of its address. */
  readonly name: string
  readonly title: string
  /** Shown above it; the title unless given. */
  readonly heading?: string
  readonly icon: IconName
  /** Who has it in the navigation. */
  readonly may: readonly Role[]
  readonly isInTabs: boolean
  /** Whether it is a button of the top bar, beside the tabs. */
  readonly isButton?: true
  /** Whether phones have it behind "More". */
  readonly isInMore?: true
  /** Whether it takes the whole window. */
  readonly isBare?: true
  /** Whether it can be shown as of the past. */
  readonly isOfPast?: true
  /** What those are told who come to its address and may not use it. */
  readonly forbidden?: { readonly title: string; readonly text: string }
}

const everyone: readonly Role[] = ['administrator', 'tester', 'auditor']
const holders: readonly Role[] = ['administrator', 'tester']
const { screens, headings, forbidden } = texts

/** The screens, in the order of the navigation. `app.ts` has what they show. */
export const SCREENS: readonly Screen[] = [
  { name: 'schedule', title: screens.schedule, icon: 'calendar', may: everyone, isInTabs: true, isOfPast: true },
  {
    ...{ name: 'mine', title: screens.mine, heading: headings.mine, icon: 'clock', may: holders, isInTabs: true },
    forbidden: forbidden.mine,
  },
  {
    ...{ name: 'book', title: screens.book, icon: 'plus', may: holders, isInTabs: false, isButton: true },
    ...{ heading: headings.book, forbidden: forbidden.mine },
  },
  { name: 'machines', title: screens.machines, icon: 'machine', may: everyone, isInTabs: true, isOfPast: true },
  { name: 'screen', title: screens.screen, icon: 'screen', may: everyone, isInTabs: false, isBare: true },
  {
    name: 'activity',
    title: screens.activity,
    icon: 'pulse',
    may: ['administrator', 'auditor'],
    isInTabs: true,
    isInMore: true,
    forbidden: forbidden.activity,
  },
  {
    ...{ name: 'people', title: screens.people, icon: 'users', may: ['administrator'], isInTabs: true, isInMore: true },
    forbidden: forbidden.people,
  },
  { name: 'account', title: screens.account, icon: 'user', may: everyone, isInTabs: false, isInMore: true },
  { name: 'more', title: screens.more, icon: 'more', may: everyone, isInTabs: false },
]

export const screenOf = (name: string): Screen | undefined => SCREENS.find((screen) => screen.name === name)

export const screensFor = ({ role }: Me): readonly Screen[] => SCREENS.filter(({ may }) => may.includes(role))
