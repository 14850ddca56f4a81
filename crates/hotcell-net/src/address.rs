//! What an address is for: IANA's registries of special-purpose addresses.
//!
//! A name in an allow-list says nothing about where it leads. So what it resolves to is looked up here before anything is
//! connected to, whatever form it was written in: addresses inside of addresses (IPv4 mapped into IPv6, NAT64, 6to4 …) count
//! as what they contain.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// What an address is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressKind {
    /// The internet.
    Global,
    /// A private network: RFC 1918, unique local addresses, shared address space of providers.
    Private,
    /// This machine.
    Loopback,
    /// The same wire; most clouds answer questions about credentials there.
    LinkLocal,
    /// A cloud's own services, on an address that looks like any other.
    CloudService,
    /// Several receivers.
    Multicast,
    /// No address: `0.0.0.0`, which Linux takes for this machine.
    Unspecified,
    /// Documentation, benchmarks, protocols, tunnels, or not given to anybody.
    Reserved,
}

impl AddressKind {
    /// Whether `allow_private` of a policy opens it. Everything else that is not global has to be named.
    pub fn is_private(self) -> bool {
        matches!(self, Self::Private | Self::Loopback)
    }
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Global => "global",
            Self::Private => "private",
            Self::Loopback => "loopback",
            Self::LinkLocal => "link-local",
            Self::CloudService => "cloud service",
            Self::Multicast => "multicast",
            Self::Unspecified => "unspecified",
            Self::Reserved => "reserved",
        })
    }
}

use AddressKind::{
    CloudService, Global, LinkLocal, Loopback, Multicast, Private, Reserved, Unspecified,
};

/// The IPv4 registry, and Azure's service address, which is in none. The first row that contains an address holds.
const IPV4: &[([u8; 4], u32, AddressKind)] = &[
    ([0, 0, 0, 0], 8, Unspecified),
    ([10, 0, 0, 0], 8, Private),
    ([100, 64, 0, 0], 10, Private),
    ([127, 0, 0, 0], 8, Loopback),
    ([168, 63, 129, 16], 32, CloudService),
    ([169, 254, 0, 0], 16, LinkLocal),
    ([172, 16, 0, 0], 12, Private),
    ([192, 0, 0, 0], 24, Reserved),
    ([192, 0, 2, 0], 24, Reserved),
    ([192, 88, 99, 0], 24, Reserved),
    ([192, 168, 0, 0], 16, Private),
    ([198, 18, 0, 0], 15, Reserved),
    ([198, 51, 100, 0], 24, Reserved),
    ([203, 0, 113, 0], 24, Reserved),
    ([224, 0, 0, 0], 4, Multicast),
    ([240, 0, 0, 0], 4, Reserved),
];

/// The IPv6 registry. What carries an IPv4 address is dealt with before. The first row that contains an address holds;
/// one that none contains is reserved, because only 2000::/3 has been given out.
const IPV6: &[([u16; 8], u32, AddressKind)] = &[
    ([0, 0, 0, 0, 0, 0, 0, 0], 128, Unspecified),
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, Loopback),
    // IPv4-compatible: nobody uses it honestly.
    ([0, 0, 0, 0, 0, 0, 0, 0], 96, Reserved),
    // Local NAT64: where the IPv4 address stands is known to its network alone.
    ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, Reserved),
    // Parts of 2001::/23 that can be reached from anywhere.
    ([0x2001, 1, 0, 0, 0, 0, 0, 1], 128, Global),
    ([0x2001, 1, 0, 0, 0, 0, 0, 2], 128, Global),
    ([0x2001, 3, 0, 0, 0, 0, 0, 0], 32, Global),
    ([0x2001, 4, 0x112, 0, 0, 0, 0, 0], 48, Global),
    ([0x2001, 0x20, 0, 0, 0, 0, 0, 0], 28, Global),
    ([0x2001, 0x30, 0, 0, 0, 0, 0, 0], 28, Global),
    // Teredo and benchmarks among them.
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, Reserved),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, Reserved),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Reserved),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, Private),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, LinkLocal),
    // Site-local, which some networks still have.
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, Private),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, Multicast),
    ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, Global),
];

/// What an address is for.
pub fn kind_of(address: IpAddr) -> AddressKind {
    match address {
        IpAddr::V4(address) => kind_of_v4(address),
        IpAddr::V6(address) => kind_of_v6(address),
    }
}

fn kind_of_v4(address: Ipv4Addr) -> AddressKind {
    let bits = address.to_bits();
    let row = IPV4.iter().find(|(network, length, _)| {
        let mask = u32::MAX << (32 - length);
        bits & mask == Ipv4Addr::from(*network).to_bits()
    });
    row.map_or(Global, |row| row.2)
}

fn kind_of_v6(address: Ipv6Addr) -> AddressKind {
    if let Some(inner) = embedded(address) {
        return kind_of_v4(inner);
    }
    let bits = address.to_bits();
    let row = IPV6.iter().find(|(network, length, _)| {
        let mask = u128::MAX << (128 - length);
        bits & mask == Ipv6Addr::from(*network).to_bits()
    });
    let kind = row.map_or(Reserved, |row| row.2);
    match intra_site(address).map(kind_of_v4) {
        // A router of ISATAP hands it on to that address.
        Some(inner) if kind == Global && inner != Global => inner,
        _ => kind,
    }
}

/// The address that packets to an address end up at.
pub(crate) fn translated(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(outer) => embedded(outer).map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

/// The IPv4 address that packets to an IPv6 address end up at.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let low = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        // Mapped, and translated (SIIT), and NAT64's well-known prefix.
        [0, 0, 0, 0, 0, 0xffff, a, b]
        | [0, 0, 0, 0, 0xffff, 0, a, b]
        | [0x64, 0xff9b, 0, 0, 0, 0, a, b] => Some(low(a, b)),
        // 6to4.
        [0x2002, a, b, ..] => Some(low(a, b)),
        _ => None,
    }
}

/// The IPv4 address in an ISATAP interface identifier.
fn intra_site(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [_, _, _, _, 0 | 0x200, 0x5efe, a, b] => {
            Some(Ipv4Addr::from_bits(u32::from(a) << 16 | u32::from(b)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> AddressKind {
        kind_of(text.parse().unwrap())
    }

    #[test]
    fn each_row_of_the_ipv4_registry_holds_from_its_first_to_its_last_address() {
        let rows = [
            ("0.0.0.0", "0.255.255.255", Unspecified),
            ("10.0.0.0", "10.255.255.255", Private),
            ("100.64.0.0", "100.127.255.255", Private),
            ("127.0.0.0", "127.255.255.255", Loopback),
            ("168.63.129.16", "168.63.129.16", CloudService),
            ("169.254.0.0", "169.254.255.255", LinkLocal),
            ("172.16.0.0", "172.31.255.255", Private),
            ("192.0.0.0", "192.0.0.255", Reserved),
            ("192.0.2.0", "192.0.2.255", Reserved),
            ("192.88.99.0", "192.88.99.255", Reserved),
            ("192.168.0.0", "192.168.255.255", Private),
            ("198.18.0.0", "198.19.255.255", Reserved),
            ("198.51.100.0", "198.51.100.255", Reserved),
            ("203.0.113.0", "203.0.113.255", Reserved),
            ("224.0.0.0", "239.255.255.255", Multicast),
            ("240.0.0.0", "255.255.255.255", Reserved),
        ];
        for (first, last, expected) in rows {
            assert_eq!(kind(first), expected, "{first}");
            assert_eq!(kind(last), expected, "{last}");
        }
    }

    #[test]
    fn neighbours_of_special_ranges_are_global() {
        for address in [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.31.196.1",
            "192.52.193.1",
            "192.175.48.1",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
        ] {
            assert_eq!(kind(address), Global, "{address}");
        }
    }

    #[test]
    fn each_row_of_the_ipv6_registry_holds() {
        let rows = [
            ("::", Unspecified),
            ("::1", Loopback),
            ("::7f00:1", Reserved),
            ("64:ff9b:1::7f00:1", Reserved),
            ("100::", Reserved),
            ("100:0:0:1::", Reserved),
            ("2001::", Reserved),
            ("2001::ffff:7f00:1", Reserved),
            ("2001:1::1", Global),
            ("2001:1::2", Global),
            ("2001:2::", Reserved),
            ("2001:3::", Global),
            ("2001:4:112::", Global),
            ("2001:10::", Reserved),
            ("2001:20::", Global),
            ("2001:30::", Global),
            ("2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", Reserved),
            ("2001:200::", Global),
            ("2001:db8::", Reserved),
            ("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", Reserved),
            ("2001:db9::", Global),
            ("2620:4f:8000::", Global),
            ("3fff::1", Reserved),
            ("3fff:1000::", Global),
            ("4000::", Reserved),
            ("5f00::", Reserved),
            ("fbff::", Reserved),
            ("fc00::", Private),
            ("fd00:ec2::254", Private),
            ("fe00::", Reserved),
            ("fe80::1", LinkLocal),
            ("febf::1", LinkLocal),
            ("fec0::1", Private),
            ("ff02::1", Multicast),
            ("2606:4700::1111", Global),
        ];
        for (address, expected) in rows {
            assert_eq!(kind(address), expected, "{address}");
        }
    }

    #[test]
    fn an_address_inside_of_an_address_counts() {
        for form in [
            "::ffff:127.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::127.0.0.1",
            "2002:7f00:1::",
            "2606:4700::5efe:127.0.0.1",
            "2606:4700::200:5efe:127.0.0.1",
        ] {
            assert_eq!(kind(form), Loopback, "{form}");
        }
        assert_eq!(kind("::ffff:169.254.169.254"), LinkLocal);
        assert_eq!(kind("64:ff9b::10.0.0.1"), Private);
        assert_eq!(kind("64:ff9b::8.8.8.8"), Global);
        assert_eq!(kind("::ffff:8.8.8.8"), Global);
        assert_eq!(kind("2606:4700::5efe:8.8.8.8"), Global);
    }
}
