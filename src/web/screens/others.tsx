import type { Screen } from '../page/later.tsx'
import { Account } from './account/account.tsx'
import { Activity } from './activity/activity.tsx'
import { Book } from './book/book.tsx'
import { Machine } from './machine/machine.tsx'
import { Machines } from './machines/machines.tsx'
import { Mine } from './mine/mine.tsx'
import { People } from './people/people.tsx'
import { Screen as MachineScreen } from './screen/screen.tsx'
import { Usage } from './usage/usage.tsx'

/** The screens beside the first one, which are loaded together after it. */
export const others: Readonly<Record<string, Screen>> = {
  mine: Mine,
  book: Book,
  machines: ({ id }) => (id === undefined ? <Machines /> : <Machine key={id} id={id} />),
  screen: ({ id }) => <MachineScreen key={id} id={id} />,
  activity: Activity,
  people: People,
  account: Account,
  usage: Usage,
}
