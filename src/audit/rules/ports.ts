import type { DataOf } from '../../domain/event.ts'
import { own, type Sut, type Tell } from './state.ts'

/** Who has which listen_port, as the log has it at a place. */
export interface Ports {
  readonly assigned: (data: DataOf<'ListenPortAssigned'>, time: number, sut: Sut | undefined, tell: Tell) => void
  /** @param sut undefined where nobody can say what stands in its stream */
  readonly released: (data: DataOf<'ListenPortReleased'>, sut: Sut | undefined, tell: Tell) => void
  /** A SUT comes to be, or is given up, by the second append of a creation; its time counts where it comes to be. */
  readonly used: (sutId: string, listen_port: number, time: number | undefined, tell: Tell) => void
}

interface Assignment {
  readonly listen_port: number
  readonly time: number
}

export const makePorts = (): Ports => {
  const bySut = new Map<string, Assignment>()
  const byPort = new Map<number, string>()
  return {
    assigned: ({ sut_id, listen_port }, time, sut, tell) => {
      const holder = byPort.get(listen_port)
      if (holder !== undefined) tell(`gives away the listen_port ${listen_port}, which the SUT ${holder} has`)
      if (bySut.has(sut_id)) tell(`gives the SUT ${sut_id} a second listen_port`)
      if (sut !== undefined) tell(`gives a listen_port to the SUT ${sut_id}, which is ${sut.status}`)
      const id = own(sut_id)
      bySut.set(id, { listen_port, time })
      byPort.set(listen_port, id)
    },
    released: ({ sut_id, listen_port }, sut, tell) => {
      if (bySut.get(sut_id)?.listen_port !== listen_port) {
        tell(`takes back the listen_port ${listen_port}, which the SUT ${sut_id} has not`)
        return
      }
      if (sut !== undefined && sut.status !== 'retired' && sut.status !== 'abandoned') {
        tell(`takes back the listen_port of the SUT ${sut_id}, which is ${sut.status}`)
      }
      bySut.delete(sut_id)
      if (byPort.get(listen_port) === sut_id) byPort.delete(listen_port)
    },
    used: (sutId, listen_port, time, tell) => {
      const assignment = bySut.get(sutId)
      if (assignment === undefined) {
        tell('is about a SUT that has been given no listen_port')
        return
      }
      if (assignment.listen_port !== listen_port) {
        tell(`has the listen_port ${listen_port}, the SUT was given ${assignment.listen_port}`)
      }
      if (time !== undefined && assignment.time !== time)
        tell('has another time than the assignment of its listen_port')
    },
  }
}
