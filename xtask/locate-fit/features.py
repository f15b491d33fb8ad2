"""features.py OWNER/NAME…: every signal that was tried, for files and declarations of each task. Writes owner+name.feat."""
import json,sys,re,pickle,collections,math,zlib,ast
import numpy as np
tasks={t['instance_id']:t for t in json.load(open('swe_lite.json'))}
STOP=set("a an and are as at be but by can do does for from get has have here i if in is it my no not of on or set should so that the there this to use used using was we when which will with would you".split())
WORD=re.compile(r'[A-Za-z_\x80-\uffff][A-Za-z0-9_\x80-\uffff]*')
PART=re.compile(r'[A-Z]+(?![a-z\x80-\uffff])|[A-Z]?[a-z\x80-\uffff]+|[0-9]+')
def parts(w):
    p=PART.findall(w); o=[x.lower() for x in p if len(x)>1]
    if len(p)>1: o.append(w.lower())
    return o
def words(s): return [x for w in WORD.findall(s) for x in parts(w)]
FRAME=re.compile(r'File "([^"\n]+)", line \d+(?:, in (\S+))?')
def split(text):
    text=re.sub(r'<!--.*?(-->|$)','',text,flags=re.S).strip()
    title,_,rest=text.partition('\n')
    ps=rest.split('```'); code='\n'.join(ps[1::2]); nof=' '.join(ps[0::2])
    pro=[];cod=[]
    for l in nof.split('\n'):
        s=l.lstrip()
        if l.startswith('    ') or l.startswith('\t') or s.startswith(('>>>','$ ','In [','Out[')): cod.append(l)
        elif 'File "' in l: cod.append(l)
        else: pro.append(l)
    prose='\n'.join(pro); code=code+'\n'+'\n'.join(cod)
    ticks=' '.join(x for l in nof.split('\n')+[title] for x in l.split('`')[1::2])
    return text,title,prose,code,ticks
TESTF={"test","tests","__tests__","spec","specs","e2e","cypress","stories","benches"}
FIX={"fixture","fixtures","__fixtures__","__mocks__","mocks","__snapshots__","testdata","test-data"}
GEN={"generated","__generated__","dist","build","coverage"}
EX={"examples","example","samples","galleries","tutorials","benchmarks","asv_bench"}
VEN={"vendor","vendored","third_party","third-party","extern"}
def klass(path):
    lo=path.lower(); d,_,n=lo.rpartition('/'); d=d.split('/')
    st=n.split('.')[0]
    if any(x in VEN for x in d): return 'v'
    if any(x in FIX for x in d) or n.startswith('test_') or n.endswith('_test.py') or any(x in TESTF for x in d): return 't'
    if any(x in GEN for x in d): return 'g'
    if any(x in ('doc','docs') for x in d): return 'd'
    if st in('tests','test','conftest') or st.endswith('_test') or st.endswith('_tests'): return 't'
    if any(x in EX for x in d): return 'd'
    return 'c'
def changed(patch):
    out,file,line=collections.defaultdict(set),None,0
    for l in patch.split('\n'):
        if m:=re.match(r'--- a/(.*)',l): file=m[1];continue
        if l.startswith(('+++','diff ','index ')): continue
        if m:=re.match(r'@@ -(\d+)',l): line=int(m[1]);continue
        if file is None: continue
        if l[:1]=='-': out[file].add(line);line+=1
        elif l[:1]=='+': out[file].add(max(1,line-1))
        elif l[:1]==' ': line+=1
    return {f:v for f,v in out.items() if f.endswith('.py')}
K1,B=1.2,.75
def sat(c,ln,mean): return c*(K1+1)/(c+K1*(1-B+B*ln/mean))
def nrm(v):
    m=v.max() if len(v) else 0
    return v/m if m>0 else v
def messages(text):
    found=set()
    def add(m):
        for p in re.split(r'''['"`<>{}()\[\]=:,%0-9]''',m):
            p=p.strip(' .!')
            if len(p)>=12 and p.count(' ')>=2: found.add(p)
    for l in text.split('\n'):
        h,_,m=l.partition(': ')
        if m and h.split() and h.split()[-1].endswith(('Error','Exception','Warning','error','panic')): add(m)
        for q in '"\'': 
            for x in l.split(q)[1::2]: add(x)
    return sorted(found)[:32]
def run(repo):
    key=repo.replace('/','+')
    D=pickle.load(open(f'{key}.pkl','rb')); H,COM=pickle.load(open(f'{key}.hist','rb'))
    vocab={k.decode(errors='replace'):v for k,v in D['vocab'].items()}; blobs=D['blobs']; V=len(vocab)
    for b in blobs.values():
        b['u'],b['c']=np.unique(b['t'],return_counts=True)
    cw={}
    out=[]
    for tid,tree in sorted(D['trees'].items()):
        t=tasks[tid]; text,title,prose,code,ticks=split(t['problem_statement'])
        tw,aw,qw,pw,kw=words(title),words(text),words(ticks),words(prose),words(code)
        W=collections.Counter()
        for ws,w in((tw,3),(aw,1),(qw,1)):
            for x in ws:
                if x not in STOP: W[x]=min(4,W[x]+w)
        terms=[x for x in W if x in vocab]
        num={vocab[x]:i for i,x in enumerate(terms)}; n=len(terms)
        mask=np.full(V,-1,np.int32)
        for v,i in num.items(): mask[v]=i
        tnum={x:i for i,x in enumerate(terms)}
        def vec(ws,cap=3):
            v=np.zeros(n)
            for x in ws:
                if x in tnum: v[tnum[x]]=min(cap,v[tnum[x]]+1)
            return v
        wa=np.array([W[x] for x in terms],float); wt=vec(tw);wp=vec(pw);wk=vec(kw);wq=vec(qw);wt1=(wt>0)*1.
        about=('test' in tw or 'tests' in tw)
        gold={f:v for f,v in changed(t['golden_patch']).items() if f in tree}
        if not gold: continue
        fl=sorted(p for p,h in tree.items() if h in blobs and (klass(p)=='c' or klass(p)=='t' and about))
        N=len(fl)
        C=np.zeros((N,n)); L=np.zeros(N); PT=np.zeros((N,n)); STEM=np.zeros((N,n))
        for i,p in enumerate(fl):
            b=blobs[tree[p]]; m=mask[b['u']]; k=m>=0; C[i,m[k]]=b['c'][k]; L[i]=len(b['t'])
            for x in words(p[:-3].replace('/',' ')):
                if x in tnum: PT[i,tnum[x]]+=1
            for x in words(p[:-3].split('/')[-1]):
                if x in tnum: STEM[i,tnum[x]]=1
        C3=C+3*PT; df=(C3>0).sum(0); idf=np.log(1+(N-df+.5)/(df+.5)); mean=L.mean()
        S=C3*(K1+1)/(C3+K1*(1-B+B*(L/mean)[:,None])); S[C3==0]=0
        F={}
        F['words']=S@(wa*idf);F['title']=S@(wt*idf);F['prose']=S@(wp*idf);F['code']=S@(wk*idf);F['ticks']=S@(wq*idf)
        F['path']=((PT>0)@(wa*idf))/np.sqrt(1+PT.sum(1)); F['stem_title']=STEM@(wt1*idf); F['stem']=STEM@(idf*np.minimum(wa,2))
        F['cov_title']=(C3>0)@(wt1*idf); F['cov']=(C3>0)@idf
        # named paths, frames
        by=collections.defaultdict(list)
        for i,p in enumerate(fl): by[p.split('/')[-1]].append(i)
        def meant(path):
            ps=[x for x in path.replace('\\','/').split('/') if x not in('','.')]
            if not ps: return [],0
            best,sh=[],0
            for i in by.get(ps[-1],[]):
                q=fl[i].split('/'); k=0
                while k<min(len(q),len(ps)) and q[-1-k]==ps[-1-k]: k+=1
                if k>sh: best,sh=[i],k
                elif k==sh: best.append(i)
            return best,sh
        named=np.zeros(N);frame=np.zeros(N);frame_fn={}
        for m in re.finditer(r'[\w\-./\\@+]+\.py\b',text):
            me,sh=meant(m[0])
            ce=1. if sh>=2 or len(me)==1 else .5
            for i in me: named[i]=max(named[i],ce/len(me))
        d=fd=0
        for path,fn in reversed(FRAME.findall(text)):
            me,_=meant(path)
            if len(me)!=1: continue
            if frame[me[0]]==0: frame[me[0]]=.7**fd; fd+=1
            if fn: frame_fn.setdefault((me[0],fn),.7**d)
            d+=1
        F['named']=named;F['frame']=frame
        # modules: dotted names whose head is a path
        mod=np.zeros(N); dotted=set(re.findall(r'[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+',text))
        dotted|={a+'.'+x.strip().split(' ')[0] for a,bs in re.findall(r'from\s+([\w.]+)\s+import\s+\(?([\w, ]+)',text) for x in bs.split(',') if x.strip()}
        bymod={}
        for i,p in enumerate(fl):
            q=p[:-3].split('/'); 
            if q[-1]=='__init__': q=q[:-1]
            for k in range(len(q)): bymod.setdefault('.'.join(q[k:]),[]).append(i)
        moddir=np.zeros(N)
        for dn in dotted:
            q=dn.split('.')
            for e in range(len(q),1,-1):
                h='.'.join(q[:e]); c=bymod.get(h)
                if c and len(c)<=2:
                    for i in c: mod[i]=max(mod[i],1/len(c))
                    break
            pre='/'.join(q[:-1])
            if len(q)>2:
                ins=[i for i,p in enumerate(fl) if (p.startswith(pre+'/') or ('/'+pre+'/') in p)]
                for i in ins: moddir[i]=max(moddir[i],min(1,3/len(ins)))
        F['module']=mod; F['moddir']=moddir
        # definitions
        idents=set(WORD.findall(text)); qid=set(WORD.findall(ticks))|set(WORD.findall(title))
        defs=collections.defaultdict(set)
        for i,p in enumerate(fl):
            for s in blobs[tree[p]]['s']:
                o=s['n'].split('.')[-1]
                if s['k'] in 'fc' and not s['local'] and o in idents: defs[o].add(i)
        isname=lambda o: ('_' in o.strip('_') or any(c.isupper() for c in o[1:]) or o in qid)
        hol=np.zeros(N);dfn=np.zeros(N);dfs=np.zeros(N)
        clsn={s['n'].split('.')[-1] for p in fl for s in blobs[tree[p]]['s'] if s['k']=='c'}
        for o,is_ in defs.items():
            if o in clsn and any(c.isupper() for c in o):
                for i in is_: hol[i]=max(hol[i],1/len(is_))
            elif isname(o):
                for i in is_: dfn[i]=max(dfn[i],1/len(is_)); dfs[i]+=1/len(is_)
        F['holder']=hol;F['defined']=dfn;F['defsum']=np.log1p(dfs)
        # bases of named classes
        bas=np.zeros(N); bn=set()
        for o,is_ in defs.items():
            if o in clsn and len(is_)<=3:
                for i in is_:
                    for s in blobs[tree[fl[i]]]['s']:
                        if s['k']=='c' and s['n']==o: bn|=set(s['bases'])
        for i,p in enumerate(fl):
            if any(s['k']=='c' and s['n'] in bn for s in blobs[tree[p]]['s']): bas[i]=1
        F['base']=bas
        F['loglen']=np.log1p(L)/10; F['init']=np.array([p.endswith('__init__.py') for p in fl],float)
        F['deep']=np.array([p.count('/') for p in fl],float)/5
        # in-degree
        ind=collections.Counter()
        for p in fl:
            for im in set(blobs[tree[p]]['imp']):
                m=im.split(':')[0].lstrip('.'); 
                if not m: continue
                q=m.split('.')[-1]
                ind[q]+=1
        F['indeg']=np.log1p(np.array([ind[(fl[i][:-3].split('/')[-1])] for i in range(N)]))/5
        # history
        pos={p:i for i,p in enumerate(fl)}; churn=np.zeros(N); rec=np.zeros(N); hl=H[tid]
        cdoc=[]
        for k,h in enumerate(hl):
            if h not in COM: continue
            msg,fs=COM[h]; ii=[pos[f] for f in fs if f in pos]
            if not ii or len(ii)>30: continue
            if k<1000:
                for i in ii: churn[i]+=1
            for i in ii: rec[i]=max(rec[i],1/(1+k/50))
            if h not in cw: cw[h]=collections.Counter(words(msg[:2000]))
            cdoc.append((cw[h],ii))
        F['churn']=np.log1p(churn)/4; F['recent']=rec
        ncd=len(cdoc); cdf=collections.Counter()
        for c,_ in cdoc:
            for x in c:
                if x in tnum: cdf[x]+=1
        ml=sum(sum(c.values()) for c,_ in cdoc)/max(1,ncd)
        cs=[]
        for c,ii in cdoc:
            ln=sum(c.values()); s=0
            for x in c:
                if x in tnum: s+=W[x]*math.log(1+(ncd-cdf[x]+.5)/(cdf[x]+.5))*sat(c[x],ln,ml)
            cs.append(s)
        hv=np.zeros(N);hm=np.zeros(N)
        if cs:
            o=np.argsort(cs)[::-1][:60]; top=max(cs[o[0]],1e-9)
            for j in o:
                for i in cdoc[j][1]:
                    v=cs[j]/top/len(cdoc[j][1])**.5; hv[i]+=v; hm[i]=max(hm[i],v)
        F['histsum']=nrm(hv);F['histmax']=hm
        # stage one
        one=nrm(F['words'])+named+frame
        cand=[i for i in np.argsort(-one,kind='stable')[:150] if one[i]>0]
        extra=[i for i in range(N) if (mod[i]>0 or hol[i]>=.3 or dfn[i]>=.5) and i not in set(cand)]
        goldi=[pos[f] for f in gold if f in pos]
        msgs=[m.encode() for m in messages(text)]
        # places
        rows=[];meta=[]
        PL=[]
        for i in cand+extra:
            b=blobs[tree[fl[i]]]; raw=None
            if msgs: raw=zlib.decompress(b['z']); lines=raw.split(b'\n')
            m=mask[b['t']]; hit=np.nonzero(m>=0)[0]; hm_=m[hit]; hl_=b['l'][hit]; al=b['l']
            fn=[s for s in b['s'] if s['k']=='f']
            runs=[(s['a'],s['z']) for s in fn if not s['local']]
            for s in b['s']:
                ln=s['z']-s['a']+1
                if s['k']=='f':
                    if s['local'] and not all(z-a>=120 for a,z in runs if a<=s['a'] and s['z']<=z): continue
                elif s['k']=='c':
                    if any(s['a']<=f['a'] and f['z']<=s['z'] for f in fn): continue
                else:
                    if ln<3: continue
                x,y=np.searchsorted(hl_,[s['a'],s['z']+1]); cnt=np.bincount(hm_[x:y],minlength=n).astype(float)
                p0,p1=np.searchsorted(al,[s['a'],s['z']+1])
                dc=np.zeros(n)
                if s['doc']:
                    x,y=np.searchsorted(hl_,[s['doc'][0],s['doc'][1]+1]); dc=np.bincount(hm_[x:y],minlength=n).astype(float)
                ms=0
                if msgs:
                    seg=b'\n'.join(lines[s['a']-1:s['z']]); ms=sum(1 for q in msgs if q in seg)
                PL.append((i,s,cnt,dc,p1-p0,ms))
        P=len(PL)
        fi=np.array([x[0] for x in PL]); cnt=np.array([x[2] for x in PL]); dcs=np.array([x[3] for x in PL]); ln=np.array([x[4] for x in PL],float)
        NM=np.zeros((P,n));OWN=np.zeros((P,n));CLS=np.zeros((P,n))
        for j,(i,s,*_) in enumerate(PL):
            for x in words(s['n'].replace('.',' ')):
                if x in tnum: NM[j,tnum[x]]+=1
            for x in words(s['n'].split('.')[-1]):
                if x in tnum: OWN[j,tnum[x]]=1
        mp=ln.mean(); own=cnt+3*NM; full=own+PT[fi]
        den=K1*(1-B+B*(ln/mp))[:,None]
        def SS(c): return np.where(c>0,c*(K1+1)/(c+den),0)
        G={}
        So=SS(own);Sf=SS(full)
        pdf=(cnt>0).sum(0); pidf=np.log(1+(P-pdf+.5)/(pdf+.5))
        G['words']=Sf@(wa*idf);G['title']=So@(wt*idf);G['prose']=So@(wp*idf);G['code']=So@(wk*idf);G['ticks']=So@(wq*idf)
        G['words_p']=Sf@(wa*pidf)
        bd=SS(np.maximum(cnt-dcs,0)); G['body']=bd@(wa*pidf); G['doc']=SS(dcs)@(wa*pidf)
        G['name']=(NM>0)@(wa*idf);G['own_title']=OWN@(wt1*idf);G['own']=OWN@(np.minimum(wa,2)*idf)/np.sqrt(1+np.array([len(PART.findall(x[1]['n'].split('.')[-1])) for x in PL]))
        G['cov']=(full>0)@idf;G['cov_title']=(full>0)@(wt1*idf);G['cov_p']=(cnt>0)@pidf
        pairs=set()
        for dn in dotted:
            q=dn.split('.'); pairs|=set(zip(q,q[1:]))
        G['qual']=np.array([1. if len(x[1]['n'].split('.'))>1 and tuple(x[1]['n'].split('.')[-2:]) in pairs else 0 for x in PL])
        ownn=[x[1]['n'].split('.')[-1] for x in PL]
        oc=collections.Counter(ownn)
        cid=set(WORD.findall(code)); called=set(re.findall(r'([A-Za-z_]\w*)\(',text))
        def ex(S,rare): return np.array([ (1/oc[o] if rare else 1.) if (o in S and isname(o)) else 0. for o in ownn])
        G['m_tick']=ex(qid,False);G['m_tick_r']=ex(qid,True);G['m_any_r']=ex(idents,True);G['m_code']=ex(cid,False);G['m_call']=ex(called,False);G['m_call_r']=ex(called,True)
        G['frame']=np.array([frame_fn.get((x[0],o),0) for x,o in zip(PL,ownn)])
        G['len']=np.log1p(ln)/8; G['value']=np.array([x[1]['k']!='f' for x in PL],float); G['klass']=np.array([x[1]['k']=='c' for x in PL],float)
        cn=[x[1]['n'].split('.')[-2] if '.' in x[1]['n'] and x[1]['k']=='f' else (x[1]['n'] if x[1]['k']=='c' else '') for x in PL]
        G['cls']=np.array([1. if c in idents and c in clsn else 0 for c in cn]); G['cls_t']=np.array([1. if c in qid and c in clsn else 0 for c in cn])
        G['cls_r']=np.array([1./len(defs[c]) if c in idents and c in defs else 0 for c in cn])
        G['basec']=np.array([1. if c in bn else 0 for c in cn])
        G['msg']=np.array([min(2,x[5]) for x in PL],float)
        G['priv']=np.array([o.startswith('_') and not o.startswith('__') for o in ownn],float);G['dund']=np.array([o.startswith('__') for o in ownn],float)
        G['init']=np.array([o=='__init__' for o in ownn],float);G['func']=np.array(['.' not in x[1]['n'] for x in PL],float)
        wn=nrm(G['words'])
        # class/sibling score
        grp=collections.defaultdict(list)
        for j,(x,c) in enumerate(zip(PL,cn)): grp[(x[0],x[1]['n'].rpartition('.')[0])].append(j)
        sib=np.zeros(P)
        for k,js in grp.items():
            if len(js)<2 or not k[1]: continue
            v=np.sort(wn[js])[::-1]
            for j in js: sib[j]=(v[0] if wn[j]<v[0] else v[1])
        G['sib']=sib
        # called by good ones
        order=np.argsort(-wn)[:25]; cb=np.zeros(P); byown=collections.defaultdict(list)
        for j,o in enumerate(ownn): byown[o].append(j)
        for r,j in enumerate(order):
            for c in PL[j][1].get('calls',[]):
                js=byown.get(c,[])
                same=[q for q in js if PL[q][0]==PL[j][0]] or (js if len(js)<=3 else [])
                for q in same:
                    if q!=j: cb[q]=max(cb[q],wn[j])
        G['called']=cb
        mc=set()
        for j in range(P):
            if G['m_tick'][j] or G['m_call'][j]: mc.update(PL[j][1].get('calls',[]))
        G['called_m']=np.array([1./oc[o] if o in mc else 0 for o in ownn])
        for k in('words','title','prose','code','ticks','words_p','body','doc','name','own_title','own','cov','cov_title','cov_p'): G[k]=nrm(G[k])
        for k in('words','title','prose','code','ticks','path','stem_title','stem','cov_title','cov'): F[k]=nrm(F[k])
        best=np.zeros(N);b3=np.zeros(N);b5=np.zeros(N)
        for i in set(fi.tolist()):
            v=np.sort(wn[fi==i])[::-1]; best[i]=v[0]; b3[i]=v[:3].mean(); b5[i]=v[:8].sum()
        F['best']=best;F['best3']=b3;F['best8']=nrm(b5)
        dirs=collections.defaultdict(float)
        for i,p in enumerate(fl): dirs[p.rpartition('/')[0]]=max(dirs[p.rpartition('/')[0]],F['words'][i])
        dsum=collections.defaultdict(list)
        for i,p in enumerate(fl): dsum[p.rpartition('/')[0]].append(F['words'][i])
        F['dir']=nrm(np.array([np.mean(sorted(dsum[p.rpartition('/')[0]])[::-1][:5]) for p in fl]))
        # gold
        gf=[]
        for f,ls in gold.items():
            sp=[s for s in blobs[tree[f]]['s'] if s['k']=='f'] if tree[f] in blobs else []
            for l in ls:
                c=[s for s in sp if s['a']<=l<=s['z']]
                if c: s=min(c,key=lambda s:s['z']-s['a']); gf.append((f,s['a'],s['z'],s['n']))
        gf=sorted(set(gf))
        keep=cand+extra; kset=set(keep)
        ya=np.zeros((P,len(gf)),bool)
        for j,x in enumerate(PL):
            for g,(f,a,z,nn) in enumerate(gf):
                s=x[1]
                if fl[x[0]]==f and a<=s['z'] and s['a']<=z and (s['z']-s['a'])<=3*(z-a)+20: ya[j,g]=1
        km=np.array(keep)
        out.append(dict(id=tid,repo=repo,files=[fl[i] for i in keep],F={k:v[km].astype(np.float32) for k,v in F.items()},fy=np.array([fl[i] in gold for i in keep]),ngold=len(gold),
            G={k:v.astype(np.float32) for k,v in G.items()},pf=np.array([keep.index(i) for i in fi.tolist()]) if P<1 else np.searchsorted(np.sort(km),fi), km_sorted=np.argsort(km),names=[x[1]['n'] for x in PL],spans=[(x[1]['a'],x[1]['z']) for x in PL],ya=ya,gf=gf,goldfiles=list(gold)))
    for o in out:
        # index of file in keep
        o['pf']=o['km_sorted'][o['pf']]
    pickle.dump(out,open(f'{key}.feat','wb')); print(repo,len(out),flush=True)
for r in sys.argv[1:]: run(r)
