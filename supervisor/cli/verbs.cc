// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/verbs.h"

#include <array>

namespace cli {
namespace {

constexpr OptionRow kGlobal[] = {
    {"--dry-run", "", "Print what would be done, and do nothing", "", WordKind::kNothing},
    {"--root", "DIR", "Put DIR in front of every path", "", WordKind::kFolder},
    {"-q,--quiet", "", "Print results and errors only", "", WordKind::kNothing},
    {"-v,--verbose", "", "Say more; twice says all", "", WordKind::kNothing},
    {"--no-pager", "", "Never start a pager", "", WordKind::kNothing},
    {"--color", "WHEN", "Use colours", "auto|always|never"},
    {"--timeout", "SEC", "How long start, restart and enable --now wait for the far end (30)", ""},
};

constexpr OptionRow kNew[] = {
    {"--type", "TYPE", "Two machines of one's own (p2p), or one that joins a server (client)",
     "p2p|client"},
    {"--remote", "HOST", "The far end's address; without it this end waits", "", WordKind::kHost,
     true},
    {"--far-remote", "HOST", "How the far end reaches this machine", "", WordKind::kHost},
    {"--port", "PORT", "The port of both ends; the first free one from 1194, of a server 1194", ""},
    {"--ifconfig", "HERE THERE", "The tunnel's two addresses; the first free 10.8.N.1, 10.8.N.2",
     ""},
    {"--mode", "MODE", "How packets are protected", "fingerprint|pki|static-key|none"},
    {"--role", "ROLE", "Which end of TLS this one is; an end that only calls is the client",
     "server|client"},
    {"--peer-fingerprint", "FINGERPRINT", "The fingerprint of the far end's certificate", ""},
    {"--auth-user-pass", "", "Of a client: it shows a user name and password, and no certificate",
     "", WordKind::kNothing},
    {"--cipher", "NAME", "The cipher; AES-256-CBC with a static key, else as the two ends agree",
     ""},
    {"--auth", "NAME",
     "The digest that authenticates packets with a static key (SHA256), or a client's", ""},
    {"--dev", "NAME", "The interface; called as the site otherwise", ""},
    {"--route", "NET", "A network behind the far end", "", WordKind::kText, true},
    {"--far-route", "NET", "A network behind this machine", "", WordKind::kText, true},
    {"--engine", "ENGINE", "Which engine runs it", "auto|fastpath|openvpn"},
    {"--cpus", "LIST", "The CPUs it is bound to: auto, or a list as taskset writes it", ""},
};

constexpr OptionRow kImport[] = {
    {"--as", "NAME", "The site's name; derived from the file's otherwise", "", WordKind::kNewName},
    {"--credentials", "FILE", "User name and password that it wants, a line each; - reads them", "",
     WordKind::kFile},
    {"--allow-scripts", "", "The config's scripts run, as the unit's user", "", WordKind::kNothing},
};

constexpr OptionRow kAdopt[] = {
    {"--as", "NAME", "The site's name; the unit's otherwise", "", WordKind::kNewName},
    {"--wait", "SEC", "How long to wait for the far end, and for --confirm (60)", ""},
    {"--no-confirm", "", "Keep the site once the far end is heard, even if you came in by it", "",
     WordKind::kNothing},
    {"--allow-scripts", "", "The config's scripts run, as the unit's user", "", WordKind::kNothing},
    {"--credentials", "FILE", "User name and password that it wants, a line each; - reads them", "",
     WordKind::kFile},
    {"--confirm", "NAME", "Say that an adopted site works: it stays, and starts at boot", "",
     WordKind::kSite},
    {"--undo", "NAME", "Give the unit back whose place that site has", "", WordKind::kSite},
    {"--if-unconfirmed", "", "With --undo: only if the site is not confirmed yet", "",
     WordKind::kNothing},
};

constexpr OptionRow kCredentials[] = {
    {"--credentials", "FILE", "A file with a line for each answer; - reads standard input", "",
     WordKind::kFile},
};

constexpr OptionRow kRender[] = {
    {"--far-end", "", "The other machine's config", "", WordKind::kNothing},
    {"--remote", "HOST", "With --far-end: how it reaches this machine", "", WordKind::kHost, true},
    {"--for", "VERSION", "For this OpenVPN alone; otherwise for all of them", "2.5|2.6|2.7"},
    {"--to", "DIR", "Write config and key into DIR", "", WordKind::kFolder},
    {"--stdout", "", "One inline file with the key; not to a terminal", "", WordKind::kNothing},
    {"--show-secrets", "", "Show keys on a terminal too", "", WordKind::kNothing},
};

constexpr OptionRow kKeyGen[] = {
    {"--force", "", "Replace the key that is there", "", WordKind::kNothing},
};

constexpr OptionRow kKeyTrust[] = {
    {"--force", "", "Replace the fingerprint that is there", "", WordKind::kNothing},
};

constexpr OptionRow kKeyMigrate[] = {
    {"--peer-fingerprint", "FINGERPRINT", "The fingerprint of the far end's new certificate", ""},
    {"--role", "ROLE", "Which end of TLS this one becomes", "server|client"},
    {"--at", "TIME", "Switch at that time, in UTC: 2026-11-30T21:50:00Z", ""},
    {"--wait", "SEC", "How long the far end may take to be heard before it goes back (60)", ""},
    {"--undo", "", "Back to the static key, and nothing of this left", "", WordKind::kNothing},
    {"--finish", "", "Delete the static key: there is no way back", "", WordKind::kNothing},
    {"--step", "", "What is due now: the timer of --at says it", "", WordKind::kNothing},
};

constexpr OptionRow kEnable[] = {
    {"--now", "", "Start it as well, and wait for the far end", "", WordKind::kNothing},
};
constexpr OptionRow kDisable[] = {
    {"--now", "", "Stop it as well", "", WordKind::kNothing},
};
constexpr OptionRow kStatus[] = {
    {"--json", "", "In JSON", "", WordKind::kNothing},
};
constexpr OptionRow kTopology[] = {
    {"--json", "", "In JSON", "", WordKind::kNothing},
};
constexpr OptionRow kDoctor[] = {
    {"--pair", "A B", "Compare the two ends of a tunnel by their configs alone: sites, or files", "",
     WordKind::kFile},
    {"--json", "", "In JSON", "", WordKind::kNothing},
};
constexpr OptionRow kLog[] = {
    {"-n,--lines", "LINES", "The newest so many lines", ""},
    {"-f,--follow", "", "Go on with what is added", "", WordKind::kNothing},
};
constexpr OptionRow kPrepare[] = {
    {"--reload", "", "For the engine that runs as $MAINPID", "", WordKind::kNothing},
    {"--foreground", "", "For an engine that begins as root", "", WordKind::kNothing},
};

constexpr OperandRow kNoOperand{"", WordKind::kNothing, 0, 0};
constexpr OperandRow kOneSite{"NAME", WordKind::kSite, 1, 1, "The site's name"};
constexpr OperandRow kSomeSites{"NAME", WordKind::kSite, 1, -1, "The sites' names"};
constexpr OperandRow kAnySites{"NAME", WordKind::kSite, 0, -1,
                               "The sites' names; all, if none is given"};
constexpr std::span<const OptionRow> kNoOptions{};

constexpr Verb kVerbs[] = {
    {"new",
     "Write a site file and a key",
     {"NAME", WordKind::kNewName, 1, 1, "The site's name, and its interface's"},
     kNew,
     &run_new},
    {"import",
     "Make a site of an OpenVPN config, kept as it is",
     {"FILE", WordKind::kFile, 1, 1, "The config; - reads it from standard input"},
     kImport,
     &run_import},
    {"adopt",
     "Take over a unit of stock OpenVPN, or give it back",
     {"UNIT", WordKind::kUnit, 0, 1,
      "openvpn-client@x, openvpn@x, openvpn-server@x, or another unit that runs openvpn; "
      "x alone if only one of them has such a config"},
     kAdopt,
     &run_adopt},
    {"check", "Say what is wrong with sites, all in one go", kAnySites, kNoOptions, &run_check},
    {"render", "Show or write a site's OpenVPN config, for either end", kOneSite, kRender,
     &run_render},
    {"key gen", "Make a new key for a site", kOneSite, kKeyGen, &run_key_gen},
    {"key fingerprint", "Print the fingerprint of a site's key or certificate", kSomeSites,
     kNoOptions, &run_key_fingerprint},
    {"key trust",
     "Write the far end's fingerprint into a site",
     {"NAME FINGERPRINT", WordKind::kSite, 2, 2,
      "The site's name|As `tunctl key fingerprint` prints it on the other machine"},
     kKeyTrust,
     &run_key_trust},
    {"key migrate", "Take a running site from its static key to fingerprints", kOneSite,
     kKeyMigrate, &run_key_migrate},
    {"credentials", "Give the user name, password or passphrase that a site wants", kOneSite,
     kCredentials, &run_credentials},
    {"remove", "Stop and disable sites, and delete what belongs to them", kSomeSites, kNoOptions,
     &run_remove},
    {"enable", "Start sites at every boot", kSomeSites, kEnable, &run_enable},
    {"disable", "Do not start sites at boot any more", kSomeSites, kDisable, &run_disable},
    {"start", "Start sites and wait for their far ends", kSomeSites, kNoOptions, &run_start},
    {"stop", "Stop sites", kSomeSites, kNoOptions, &run_stop},
    {"restart", "Stop and start sites", kSomeSites, kNoOptions, &run_restart},
    {"reload", "Make engines read their sites anew", kSomeSites, kNoOptions, &run_reload},
    {"run", "Run sites in the foreground, without systemd", kSomeSites, kNoOptions, &run_run},
    {"status", "Say how sites fare", kAnySites, kStatus, &run_status},
    {"list", "List sites, one line each", kAnySites, kNoOptions, &run_list},
    {"log", "Show the log of sites", kSomeSites, kLog, &run_log},
    {"topology", "Show the machine's cores, what runs where, and how fast they are", kNoOperand,
     kTopology, &run_topology},
    {"doctor", "Look for what makes tunnels slow or keeps them from working", kAnySites, kDoctor,
     &run_doctor},
    {"completion",
     "Print the completion script of a shell",
     {"SHELL", WordKind::kShell, 1, 1, "bash, zsh or fish"},
     kNoOptions,
     &run_completion},
    {"version", "Print the version", kNoOperand, kNoOptions, &run_version},
    {"prepare", "Render a site into its runtime folder, for its unit", kOneSite, kPrepare,
     &run_prepare, true},
    {"exec", "Become a site's engine, for its unit", kOneSite, kNoOptions, &run_exec, true},
    {"wait-online", "End when a site's far end has been heard", kOneSite, kNoOptions,
     &run_wait_online, true},
    {"__complete",
     "Offer completions",
     {"", WordKind::kText, 0, -1},
     kNoOptions,
     &run_complete,
     true},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

std::span<const OptionRow> global_options() { return kGlobal; }

}  // namespace cli
