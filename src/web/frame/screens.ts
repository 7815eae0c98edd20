import type { IconName } from '../parts/icon.tsx'
import type { Me, Role } from '../service/session.ts'

export interface Screen {
  readonly name: string
  readonly title: string
  /** Shown above it; the title unless given. */
  readonly heading?: string
  readonly icon: IconName
  readonly may: readonly Role[]
  readonly isInTabs: boolean
  /** Whether it is a button of the top bar, beside the tabs. */
  readonly isButton?: true
  readonly isInMore?: true
  readonly isBare?: true
  readonly isOfPast?: true
  readonly forbidden?: { readonly title: string; readonly text: string }
}

const everyone: readonly Role[] = ['administrator', 'tester', 'auditor']
const holders: readonly Role[] = ['administrator', 'tester']
const FORBIDDEN_TO_AUDITORS = {
  title: 'Auditors cannot reserve machines',
  text: 'Your role can read everything but change nothing. See the schedule, or ask an administrator for another role.',
}

/** The screens, in the order of the navigation. `app.ts` has what they show. */
export const SCREENS: readonly Screen[] = [
  { name: 'schedule', title: 'Schedule', icon: 'calendar', may: everyone, isInTabs: true, isOfPast: true },
  {
    ...{ name: 'mine', title: 'Mine', heading: 'Your reservations', icon: 'clock', may: holders, isInTabs: true },
    forbidden: FORBIDDEN_TO_AUDITORS,
  },
  {
    ...{ name: 'book', title: 'Reserve', icon: 'plus', may: holders, isInTabs: false, isButton: true },
    ...{ heading: 'Reserve any machine', forbidden: FORBIDDEN_TO_AUDITORS },
  },
  { name: 'machines', title: 'Machines', icon: 'machine', may: everyone, isInTabs: true, isOfPast: true },
  { name: 'usage', title: 'Usage', icon: 'chart', may: everyone, isInTabs: true, isInMore: true },
  { name: 'screen', title: 'Screen', icon: 'screen', may: everyone, isInTabs: false, isBare: true },
  {
    ...{ name: 'activity', title: 'Activity', icon: 'pulse', may: ['administrator', 'auditor'] },
    ...{ isInTabs: true, isInMore: true },
    forbidden: {
      title: 'Only administrators and auditors can see activity',
      text: 'You see your own reservations under Mine. An administrator can give you another role.',
    },
  },
  {
    ...{ name: 'people', title: 'People', icon: 'users', may: ['administrator'], isInTabs: true, isInMore: true },
    forbidden: {
      title: 'Only administrators can manage people',
      text: 'Your own password, tokens and sessions are under your account.',
    },
  },
  { name: 'account', title: 'Account', icon: 'user', may: everyone, isInTabs: false, isInMore: true },
  { name: 'more', title: 'More', icon: 'more', may: everyone, isInTabs: false },
]

export const screenOf = (name: string): Screen | undefined => SCREENS.find((screen) => screen.name === name)

export const screensFor = ({ role }: Me): readonly Screen[] => SCREENS.filter(({ may }) => may.includes(role))
