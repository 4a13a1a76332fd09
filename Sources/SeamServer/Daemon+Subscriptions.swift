// Subscriptions opened and closed. The cut is made within one turn of the loop: the number is fixed and the
// cursor placed before anything else can happen, so no change is lost and none comes twice.

import SeamKernel
import SeamWire

extension Daemon {
    func open(_ open: SubOpen, _ ticket: Ticket) throws(WireError) {
        let hosted = try open.sim.map { sim throws(WireError) in try find(sim) }
        if let hosted, let failure = hosted.failure { throw .pluginFailed(sim: hosted.id, text: failure) }
        let connection = ticket.connection
        guard connection.subscriptions.count < limits.subscriptionsPerConnection else {
            throw .limit(
                "subscriptions of one connection", limits.subscriptionsPerConnection,
                option: "--max-subscriptions-per-connection")
        }
        guard subscriptionCount < limits.subscriptions else {
            throw .limit("subscriptions", limits.subscriptions, option: "--max-subscriptions")
        }
        let stream = hosted?.stream ?? everything
        let streamEpoch = hosted?.epoch ?? epoch
        if hosted == nil, case .after(let asked, _) = open.start, !keepsEverything {
            throw .gone(asked: asked, oldest: stream.ring.last, latest: stream.ring.last, epoch: streamEpoch)
        }
        let cursor = try firstPosition(open.start, in: stream.ring, epoch: streamEpoch)
        let filter = Filter(open.match, onlyVerdicts: open.onlyVerdicts, watchesDaemon: hosted == nil)
        try requireRoom(for: filter)
        memory.values += filter.memoryBytes
        // What came before is told to the others first: it is not news to this one.
        spread(stream)
        if hosted == nil { watchEverything() }
        let snapshot = open.start == .state ? snapshot(of: hosted) : nil
        lastSubscription += 1
        subscriptionCount += 1
        needsTicks()
        let subscription = Subscription(
            lastSubscription, of: hosted, stream: stream, on: connection, filter: filter, mode: open.mode,
            snapshot: snapshot, cursor: cursor, now: loop.milliseconds)
        connection.add(subscription)
        stream.add(subscription)
        ticket.batch?.holdBack(subscription)
        func answer(_ count: Int) {
            ticket.answer { out in
                out.object {
                    $0.member("sub", subscription.number)
                    $0.member("epoch", streamEpoch)
                    $0.member(hosted == nil ? "dseq" : "seq", cursor - 1)
                    $0.member("count", count)
                }
            }
        }
        var counting = snapshot?.counting(filter)
        if let count = counting == nil ? 0 : counting?.next(within: &filterSteps) {
            answer(count)
            return subscription.begin()
        }
        // Many fields, or patterns that take their time: the place in the stream is fixed, the answer comes later, and
        // the lines behind it.
        subscription.isHeldBack = true
        subscription.begin()
        ticket.hold()
        func goOn() {
            guard connection.isOpen else { return ticket.release() }
            guard let count = counting?.next(within: &filterSteps) else { return arrive(goOn) }
            answer(count)
            if ticket.batch == nil { subscription.isHeldBack = false }
            ticket.release()
        }
        arrive(goOn)
    }

    /// The state of a simulation as it is now, or of all of them.
    func snapshot(of hosted: HostedSimulation?) -> Snapshot {
        Snapshot(of: hosted.map { [$0] } ?? simulationsInOrder, namesSimulations: hosted == nil)
    }

    /// The position of the first change to be sent.
    private func firstPosition(_ start: SubOpen.Start, in ring: Ring, epoch: String) throws(WireError)
        -> UInt64
    {
        guard case .after(let wanted, let seq) = start else { return ring.next }
        guard wanted == epoch, seq + 1 >= ring.first else {
            throw .gone(asked: wanted, oldest: ring.first - 1, latest: ring.last, epoch: epoch)
        }
        guard seq <= ring.last else { throw .seqInFuture(asked: seq, latest: ring.last, epoch: epoch) }
        return seq + 1
    }

    func closeSubscription(_ number: UInt64, _ ticket: Ticket) throws(WireError) {
        guard let subscription = ticket.connection.subscriptions.first(where: { $0.number == number }) else {
            throw .unknownSub(number)
        }
        ticket.connection.close(subscription)
        ticket.answer { out in out.object { $0.member("sub", number) } }
    }
}
