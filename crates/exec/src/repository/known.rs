//! Settings of git that neither run a program nor write or read where they say, as data: what is not here counts.

/// Sections all of whose keys are words, numbers and colours, or files that are only read as lists.
const WHOLE: &str = "add advice am apply attr author bitmappseudomerge blame branch bundle checkout clean clone color \
    column commit commitgraph committer completion credentialcache credentialstore fastimport feature fsck grep i18n \
    index log lsrefs mailinfo mailmap notes pack pretty promisor protocol push receive reftable remotes repack rerere \
    revert safe showbranch sparse splitindex stash status tag transfer uploadarchive uploadpack uploadpackfilter user \
    versionsort windows worktree";

/// Keys of the other sections, whatever the section is called besides.
const KEYS: &[(&str, &str)] = &[
    (
        "core",
        "abbrev alternaterefsprefixes attributesfile autocrlf bare bigfilethreshold checkroundtripencoding checkstat \
         commentchar commentstring commitgraph compression configwritelocktimeoutms createobject deltabasecachelimit \
         eol excludesfile filemode filesreflocktimeout fscache fsmonitorhookversion fsync fsyncmethod \
         fsyncobjectfiles hidedotfiles hookspath ignorecase ignorestat logallrefupdates longpaths loosecompression \
         maxtreedepth multipackindex notesref packedgitlimit packedgitwindowsize packedrefstimeout \
         precomposeunicode prefersymlinkrefs preloadindex quotepath repositoryformatversion \
         restrictinheritedhandles safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks \
         trustctime unsetenvvars untrackedcache usebuiltinfsmonitor usereplacerefs warnambiguousrefs whitespace",
    ),
    (
        "credential",
        "allowwindowsauth authority autodetecttimeout azreposcredentialtype bitbucketauthmodes credentialstore \
         githubauthmodes gitlabauthmodes guiprompt interactive msauthflow protectprotocol provider sanitizeprompt \
         usehttppath username",
    ),
    (
        "diff",
        "algorithm autorefreshindex binary cachetextconv colormoved colormovedws context dirstat dstprefix funcname \
         ignoresubmodules indentheuristic interhunkcontext mnemonicprefix noprefix orderfile relative renamelimit \
         renames srcprefix statgraphwidth statnamewidth submodule suppressblankempty trustexitcode wordregex \
         wserrorhighlight xfuncname",
    ),
    ("difftool", "guidefault prompt trustexitcode"),
    (
        "fetch",
        "all bundlecreationtoken bundleuri fsckobjects negotiationalgorithm output parallel prune prunetags \
         recursesubmodules showforcedupdates skiplist unpacklimit writecommitgraph",
    ),
    ("filter", "required"),
    (
        "format",
        "attach cc coverfromdescription coverletter encodeemailheaders filenamemaxlength forceinbodyfrom from \
         headers mboxrd noprefix notes numbered pretty signature signoff subjectprefix suffix thread to useautobase",
    ),
    ("fsmonitor", "allowremote"),
    (
        "gc",
        "aggressivedepth aggressivewindow auto autodetach autopacklimit bigpackthreshold cruftpacks logexpiry \
         maxcruftsize packrefs pruneexpire reflogexpire reflogexpireunreachable rerereresolved rerereunresolved \
         worktreepruneexpire writecommitgraph",
    ),
    ("gitcvs", "allbinary commitmsgannotation enabled usecrlfattr"),
    ("gitflow", "base bugfix develop feature hotfix initialized master origin release support versiontag"),
    ("gitweb", "avatar blame category description grep highlight owner patches pickaxe showsizes snapshot url"),
    ("gpg", "allowedsignersfile format mintrustlevel revocationfile"),
    (
        "gui",
        "blamehistoryctx commitmsgwidth copyblamethreshold diffcontext displayuntracked encoding fastcopyblame \
         fontdiff fontui geometry matchtrackingbranch newbranchtemplate pruneduringfetch spellingdictionary \
         stageuntracked trustmtime warndetachedcommit wmstate",
    ),
    ("guitool", "argprompt confirm needsfile noconsole norescan prompt revprompt revunmerged title"),
    ("help", "autocorrect format"),
    ("hook", "enabled event"),
    (
        "http",
        "curloptresolve delegation emptyauth extraheader followredirects keepalivecount keepaliveidle \
         keepaliveinterval lowspeedlimit lowspeedtime maxrequests minsessions noepsv pinnedpubkey postbuffer \
         proactiveauth proxy proxyauthmethod proxysslcainfo proxysslcert proxysslcertpasswordprotected proxysslkey \
         savecookies schannelcheckrevoke schannelusesslcainfo sslbackend sslcainfo sslcapath sslcert \
         sslcertpasswordprotected sslcipherlist sslkey ssltry sslverify sslversion useragent version",
    ),
    ("imap", "authmethod folder host pass port preformattedhtml sslverify user"),
    ("init", "defaultbranch defaultobjectformat defaultrefformat"),
    ("instaweb", "local port"),
    ("interactive", "singlekey"),
    (
        "lfs",
        "access activitytimeout allowincompletepush basictransfersonly cachecredentials concurrent \
         concurrenttransfers contenttype dialtimeout direction enablehrefrewrite fetchexclude fetchinclude \
         fetchrecentalways fetchrecentcommitsdays fetchrecentrefsdays fetchrecentremoterefs keepalive \
         lockignoredfiles locksverify maxretries maxretrydelay maxverifies priority pruneoffsetdays \
         pruneremotetocheck pruneverifyremotealways pushurl repositoryformatversion setlockablereadonly \
         skipdownloaderrors sshtransfer tlstimeout tustransfers url",
    ),
    ("maintenance", "auto autodetach enabled schedule strategy"),
    ("man", "viewer"),
    (
        "merge",
        "autostash branchdesc conflictstyle default defaulttoupstream directoryrenames ff log name recursive \
         renamelimit renames renormalize stat suppressdest verbosity verifysignatures",
    ),
    (
        "mergetool",
        "guidefault hasoutput hideresolved keepbackup keeptemporaries prompt trustexitcode useautomerge writetotemp",
    ),
    ("pull", "autostash ff rebase"),
    (
        "rebase",
        "abbreviatecommands autosquash autostash backend forkpoint maxlabellength missingcommitscheck rebasemerges \
         reschedulefailedexec stat updaterefs",
    ),
    (
        "remote",
        "annex-ignore annex-uuid fetch followremotehead gh-resolved glab-resolved mirror partialclonefilter promisor \
         proxy proxyauthmethod prune prunetags push pushdefault pushurl serveroption skipdefaultupdate skipfetchall \
         tagopt url",
    ),
    (
        "sendemail",
        "aliasesfile aliasfiletype annotate bcc cc chainreplyto confirm envelopesender forbidsendmailvariables from \
         identity mailmap multiedit signedoffbycc smtpauth smtpbatchsize smtpdomain smtpencryption smtppass \
         smtprelogindelay smtpserverport smtpsslcertpath smtpuser suppresscc suppressfrom thread to \
         transferencoding validate xmailer",
    ),
    ("ssh", "variant"),
    (
        "submodule",
        "active alternateerrorstrategy alternatelocation branch fetchjobs fetchrecursesubmodules ignore \
         propagatebranches recurse update url",
    ),
    ("svn", "authorsfile followparent noauthcache pathnameencoding pushmergeinfo rmdir"),
    (
        "svn-remote",
        "branches fetch ignore-paths include-paths nometadata pushurl reposroot rewriteroot rewriteuuid tags url \
         usesvmprops usesvnsyncprops uuid",
    ),
    ("tar", "remote umask"),
    ("trace2", "configparams destinationdebug envvars eventbrief eventnesting maxfiles normalbrief perfbrief"),
    ("trailer", "ifexists ifmissing key separators where"),
    ("url", "insteadof pushinsteadof"),
];

/// Whether git, or the tool that has it, takes a setting for nothing but words, whatever its value is.
pub(super) fn is_known(section: &str, key: &str) -> bool {
    has(WHOLE, section) || KEYS.iter().any(|(known, keys)| *known == section && has(keys, key))
}

/// Whether git, or a tool that is known here, has a section of this name.
pub(super) fn has_section(section: &str) -> bool {
    KEYS.iter().any(|(known, _)| *known == section)
}

fn has(words: &str, wanted: &str) -> bool {
    words.split_ascii_whitespace().any(|word| word == wanted)
}
