/// One mount as it is now.
public struct MountView {
    public var id: MountID
    public var bridge: BridgeID
    /// The mount that it lies in; none on the screen itself.
    public var parent: MountID?
    /// The item that it shows, in a list or a pool, and that item's value.
    public var owner: String?
    public var item: String?
    public var identity: String?
    public var activity: Activity
    public var isMade: Bool
    public var isAttached: Bool
    public var isParked: Bool
    /// Why it gets no more calls.
    public var failure: String?
    /// The call that waits until the mount can be drawn again.
    public var withheld: Cause?
}

extension Simulation {
    public var mountCount: Int { hasSeam ? seam.mounts.count : 0 }

    /// A live mount; none for a number that is gone, or that never was.
    public func mount(_ id: MountID) -> MountView? {
        guard hasSeam, let mount = seam.mounts[id] else { return nil }
        return MountView(
            id: id, bridge: mount.bridge, parent: mount.parent == 0 ? nil : mount.parent, owner: mount.owner,
            item: mount.item, identity: mount.identity, activity: mount.activity, isMade: mount.isMade,
            isAttached: mount.isAttached, isParked: mount.isParked, failure: mount.failure?.text,
            withheld: mount.withheld)
    }

    // MARK: Room

    /// Whether the plug-in may mount so many more; reports that it may not.
    func hasRoom(forMountsOf bridge: BridgeID, _ count: Int = 1) -> Bool {
        if seam.mounts.count + count <= mountLimit { return true }
        misbehaved(
            "a mount of \(scenario.bridges[bridge].id) was refused: the simulation may have \(mountLimit) mounts"
        )
        return false
    }

    /// Counts anew what mounts and environment take: only after a turn that changed it, since it visits them all.
    func weigh() {
        seam.isUnweighed = false
        var bytes = weight(of: seam.rootEnvironment)
        // Hosts that captured the same state of the root share it.
        var counted: Set<UInt64> = [seam.environmentVersion]
        for mount in seam.mounts.values {
            bytes += weight(of: mount)
            if mount.environment.isEmpty { continue }
            if let version = mount.environmentVersion, !counted.insert(version).inserted { continue }
            bytes += weight(of: mount.environment)
        }
        for pool in seam.pools { for mount in pool.controls { bytes += weight(of: mount) } }
        seam.bytes = bytes
    }

    /// A list in the place of the one that the bridge shows now.
    func growth(byItems items: [Item], of bridge: BridgeID) -> Int {
        let now = seam.bridges[bridge].mounts.reduce(0) { $0 + weight(of: $1) }
        return items.reduce(-now) { $0 + Self.mountBytes + heapBytes($1.id) + heapBytes($1.value) }
    }

    private func weight(of mount: Mount) -> Int {
        Self.mountBytes + heapBytes(mount.owner) + heapBytes(mount.item) + heapBytes(mount.identity)
            + weight(of: mount.traits)
    }

    private func weight(of environment: [String: String]) -> Int {
        environment.reduce(0) { $0 + placeBytes + heapBytes($1.key) + heapBytes($1.value) }
    }

    /// A mount with its place in the tree and the copies of its inputs, beside the plug-in's own control.
    static let mountBytes = 1024
}
