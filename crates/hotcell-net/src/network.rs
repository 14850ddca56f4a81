//! The network of one sandbox: a policy, and what is needed to act on it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use async_lock::Semaphore;
use hotcell_meter::Account;
use hotcell_process::Process;
use url::{Host, Url};

use crate::{
    connect::connect,
    deadline::Deadline,
    decide::Denial,
    error::{NetError, Phase},
    event::{Listener, NetworkEvent, Target},
    fetch::{Fetch, FetchOptions, FetchResponse},
    note::Notes,
    policy::{NetworkPolicy, PolicyError},
    report::Report,
    resolve::{Resolve, SystemResolver},
    session::{Families, Family},
    tcp::{CheckedStream, TcpOptions},
    tls::Tls,
};

/// The network of one sandbox, or of several that share its limits. Cheap to clone; clones are one network.
///
/// ```
/// use hotcell_net::{Network, NetworkPolicy};
///
/// let policy = NetworkPolicy::new().allow("api.example.com GET,POST")?;
/// let network = Network::builder(policy).on_event(|event| println!("{event:?}")).build()?;
///
/// let answer = pollster::block_on(network.fetch("https://evil.example/".into()));
/// assert_eq!(
///     answer.unwrap_err().to_string(),
///     "network: host evil.example is not allowed; allowed: api.example.com:443 GET,POST"
/// );
/// # Ok::<(), hotcell_net::PolicyError>(())
/// ```
#[derive(Clone)]
pub struct Network {
    /// `None` if it is off.
    inner: Option<Arc<Inner>>,
    listener: Listener,
    /// Requests are numbered, also when they are denied.
    counter: Arc<AtomicU64>,
}

struct Inner {
    policy: NetworkPolicy,
    resolver: Arc<dyn Resolve>,
    tls: Tls,
    slots: Arc<Semaphore>,
}

/// Makes a [`Network`].
pub struct NetworkBuilder {
    policy: NetworkPolicy,
    resolver: Arc<dyn Resolve>,
    listener: Listener,
}

impl NetworkBuilder {
    /// Looks up names another way than the machine does.
    #[must_use]
    pub fn resolver(mut self, resolver: impl Resolve + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Is told everything that happens, where it is decided or done. It is called on whatever thread that is, and should
    /// return soon.
    #[must_use]
    pub fn on_event(mut self, callback: impl Fn(&NetworkEvent) + Send + Sync + 'static) -> Self {
        self.listener = Listener::new(callback);
        self
    }

    /// The network, unless something in the policy makes no sense.
    pub fn build(self) -> Result<Network, PolicyError> {
        self.policy.check()?;
        let inner = Inner {
            tls: Tls::new(&self.policy)?,
            slots: Arc::new(Semaphore::new(self.policy.limits.concurrent)),
            policy: self.policy,
            resolver: self.resolver,
        };
        Ok(Network {
            inner: Some(Arc::new(inner)),
            listener: self.listener,
            counter: Arc::default(),
        })
    }
}

impl Network {
    /// No network: everything is denied, and says how it can be turned on.
    pub fn off() -> Self {
        Self {
            inner: None,
            listener: Listener::default(),
            counter: Arc::default(),
        }
    }

    /// A network for a policy, with the machine's resolver.
    pub fn new(policy: NetworkPolicy) -> Result<Self, PolicyError> {
        Self::builder(policy).build()
    }

    /// A network for a policy, with more to say about it.
    pub fn builder(policy: NetworkPolicy) -> NetworkBuilder {
        NetworkBuilder {
            policy,
            resolver: Arc::new(SystemResolver::default()),
            listener: Listener::default(),
        }
    }

    /// The same network, with its limits on what is under way at once, and another listener: for one sandbox among several, or
    /// for one run of it.
    #[must_use]
    pub fn with_listener(&self, callback: impl Fn(&NetworkEvent) + Send + Sync + 'static) -> Self {
        Self {
            listener: Listener::new(callback),
            ..self.clone()
        }
    }

    /// The same network for one program, whose kernel is told of requests, too.
    pub(crate) fn reporting_to(&self, process: &Process) -> Self {
        let (listener, report) = (self.listener.clone(), Report::new(process.kernel()));
        self.with_listener(move |event| {
            listener.tell(|| event.clone());
            report.take(event);
        })
    }

    /// What is allowed; `None` if the network is off.
    pub fn policy(&self) -> Option<&NetworkPolicy> {
        self.inner.as_ref().map(|inner| &inner.policy)
    }

    /// Makes a request, follows redirects, and gives the whole response. Dropping the future ends it at once.
    pub async fn fetch(&self, fetch: Fetch) -> Result<FetchResponse, NetError> {
        self.fetch_with(fetch, &FetchOptions::default()).await
    }

    /// As [`Network::fetch`], for a guest's account and with its own limits.
    pub async fn fetch_with(
        &self,
        fetch: Fetch,
        options: &FetchOptions,
    ) -> Result<FetchResponse, NetError> {
        crate::fetch::fetch(self, fetch, options).await
    }

    /// Connects to a host that a rule for `tcp` allows.
    pub async fn connect_tcp(&self, host: &str, port: u16) -> Result<CheckedStream, NetError> {
        self.connect_tcp_with(host, port, TcpOptions::default())
            .await
    }

    /// The same, with more to say about it.
    pub async fn connect_tcp_with(
        &self,
        host: &str,
        port: u16,
        options: TcpOptions,
    ) -> Result<CheckedStream, NetError> {
        let families = Families {
            only: None,
            first: options.prefers_ipv6.then_some(Family::Six),
        };
        let id = self.next_id();
        let url = Url::parse(&format!("tcp://{host}:{port}"));
        let mut url = url.map_err(|error| NetError::Url(error.to_string()))?;
        // As every other host is read: numbers in all their forms, international names.
        let parsed = Host::parse(host).map_err(|error| NetError::Url(error.to_string()))?;
        url.set_host(Some(&parsed.to_string()))
            .map_err(|error| NetError::Url(error.to_string()))?;
        let host = match &parsed {
            Host::Domain(name) => Host::Domain(name.as_str()),
            Host::Ipv4(address) => Host::Ipv4(*address),
            Host::Ipv6(address) => Host::Ipv6(*address),
        };
        let target = || Target::new("CONNECT", &url);
        let connected = async {
            let policy = self.allowed()?;
            let rule = policy.decide_tcp(&host, port)?;
            self.tell(|| NetworkEvent::Allowed {
                request: id,
                target: target(),
                rule: rule.to_string(),
                secrets: Vec::new(),
            });
            let mut deadline = Deadline::new(policy.limits.connect_timeout, None);
            let slot = deadline
                .wait(Phase::Queue, self.slots()?.acquire_arc())
                .await?;
            let connected = connect(
                self,
                policy,
                &host,
                port,
                families,
                &mut deadline,
                &Notes::default(),
            )
            .await?;
            Ok((connected, slot))
        };
        let (connected, slot) = match connected.await {
            Ok(connected) => connected,
            Err(error) => return Err(self.denied(id, target, error)),
        };
        self.tell(|| NetworkEvent::Connected {
            request: id,
            host: host.to_string(),
            address: connected.address,
            is_reused: false,
        });
        Ok(CheckedStream::new(
            connected,
            slot,
            id,
            self.listener.clone(),
        ))
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.counter.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn tell(&self, event: impl FnOnce() -> NetworkEvent) {
        self.listener.tell(event);
    }

    pub(crate) fn listener(&self) -> &Listener {
        &self.listener
    }

    /// Tells of an error if it is a denial.
    pub(crate) fn denied(
        &self,
        id: u64,
        target: impl FnOnce() -> Target,
        error: NetError,
    ) -> NetError {
        if let NetError::Denied(denial) = &error {
            self.tell(|| NetworkEvent::Denied {
                request: id,
                target: target(),
                denial: denial.clone(),
            });
        }
        error
    }

    /// The policy, if the network is on.
    pub(crate) fn allowed(&self) -> Result<&NetworkPolicy, Denial> {
        self.policy().ok_or_else(Denial::off)
    }

    pub(crate) fn resolver(&self) -> &dyn Resolve {
        match &self.inner {
            Some(inner) => &*inner.resolver,
            None => &NoResolver,
        }
    }

    pub(crate) fn tls(&self) -> Result<&Tls, Denial> {
        self.inner
            .as_ref()
            .map(|inner| &inner.tls)
            .ok_or_else(Denial::off)
    }

    pub(crate) fn slots(&self) -> Result<&Arc<Semaphore>, Denial> {
        self.inner
            .as_ref()
            .map(|inner| &inner.slots)
            .ok_or_else(Denial::off)
    }
}

impl Default for Network {
    fn default() -> Self {
        Self::off()
    }
}

struct NoResolver;

impl Resolve for NoResolver {
    fn resolve<'a>(&'a self, _name: &'a str) -> crate::resolve::Resolving<'a> {
        Box::pin(async { Err(std::io::ErrorKind::NotFound.into()) })
    }
}

/// An account for work that nobody is charged for.
pub(crate) fn nobody() -> Account {
    Account::unlimited()
}
